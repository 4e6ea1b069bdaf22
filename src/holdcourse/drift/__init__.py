"""Records of what an agent did and when it drifted, which several rooms share."""
