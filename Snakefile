# The workflow stands in workflow/; this file lets `snakemake` find it from the root of a clone.
include: "workflow/Snakefile"


# Snakemake forgets the default target of an included file.
workflow.default_target = "all"
