import sys
from pathlib import Path

import pytest

from holdcourse.config.role_model import RoleModel
from holdcourse.config.schema import ProtocolConfig, RolloutConfig

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def protocol_config() -> ProtocolConfig:
    return ProtocolConfig(
        heldout_size=66,
        heldout_intents={"service_issue": 0.15, "mobile_data_issue": 0.425, "mms_issue": 0.425},
        max_transfer_expected=4,
        batches=10,
        batch_size=20,
        batches_per_phase=2,
        phases=("A", "B"),
        mixture={
            "A": {"mobile_data_issue": 0.70, "mms_issue": 0.15, "service_issue": 0.15},
            "B": {"mms_issue": 0.70, "mobile_data_issue": 0.15, "service_issue": 0.15},
        },
        initial_instruction="main_policy",
    )


@pytest.fixture
def model() -> RoleModel:
    return RoleModel(model="scripted", temperature=0.0, max_tokens=None)


@pytest.fixture
def limits() -> RolloutConfig:
    return RolloutConfig(max_steps=60, max_errors=3, infrastructure_retries=2)
