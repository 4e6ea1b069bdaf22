"""Training the recovery model: node prompts, rewards, judge, GRPO, and how good the trained model is."""
