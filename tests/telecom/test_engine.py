import subprocess
import sys

from holdcourse.telecom.engine import EngineCallError


def run_python(code: str, **environment: str) -> str:
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=environment or None
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout + finished.stderr


def test_planning_does_not_import_tau2():
    code = (
        "import sys, holdcourse.telecom.protocol as p, holdcourse.telecom.tasks as t\n"
        "t.load_catalogue()\n"
        "print([name for name in ('tau2', 'litellm', 'pandas', 'loguru') if name in sys.modules])"
    )
    assert run_python(code) == "[]\n"


def test_tau2_comes_without_litellm_pandas_and_noise_and_leaves_no_stand_in_behind():
    code = (
        "import sys, holdcourse.telecom.rollout\n"
        "names = ('litellm', 'litellm.main', 'pandas', 'deepdiff', 'dotenv')\n"
        "print([name for name in names if name in sys.modules])\n"
        "import pandas\n"
        "print(pandas.DataFrame({'a': [1]}).a.sum())\n"
        "import importlib.util\n"
        "print(importlib.util.find_spec('litellm').origin.endswith('litellm/__init__.py'))"
    )
    assert run_python(code) == "[]\n1\nTrue\n"


def test_a_real_module_imported_before_stays_where_it_is():
    code = (
        "import sys, pandas, dotenv\n"
        "before = pandas, dotenv\n"
        "import holdcourse.telecom.engine\n"
        "print((sys.modules['pandas'], sys.modules['dotenv']) == before)"
    )
    assert run_python(code) == "True\n"


def test_an_env_file_above_the_package_is_not_read(tmp_path):
    code = (
        "import sys, types, os\n"
        "dotenv = types.ModuleType('dotenv')\n"
        "dotenv.load_dotenv = lambda *a, **k: os.environ.update(LEAKED='yes')\n"
        "sys.modules['dotenv'] = dotenv\n"
        "import holdcourse.telecom.engine\n"
        "print(os.environ.get('LEAKED'))"
    )
    assert run_python(code) == "None\n"


def test_tau2_cannot_call_a_model_by_itself():
    code = (
        "import holdcourse.telecom.engine\n"
        "from tau2.utils.llm_utils import generate\n"
        "from tau2.data_model.message import UserMessage\n"
        "try:\n"
        "    generate('gpt-4o', [UserMessage(role='user', content='hello')])\n"
        "except holdcourse.telecom.engine.EngineCallError as error:\n"
        "    print(error)"
    )
    assert "τ² called litellm.completion" in run_python(code)
    assert issubclass(EngineCallError, RuntimeError)


def test_tau2s_own_cache_setting_does_not_break_its_import():
    code = "import holdcourse.telecom.engine; print('imported')"
    assert run_python(code, LLM_CACHE_ENABLED="true") == "imported\n"
