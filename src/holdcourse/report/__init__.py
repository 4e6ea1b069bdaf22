"""Tables, figures and pages of the studies, with the papers' figures beside ours."""
