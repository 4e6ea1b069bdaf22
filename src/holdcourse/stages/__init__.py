"""One module a stage: `main(cfg, out)` reads declared inputs and writes declared outputs under `out`.

Snakemake's script and Hydra's command line (`python -m holdcourse.stages.STAGE key=value …`) call the same
`main` with the same slice of the configuration.
"""
