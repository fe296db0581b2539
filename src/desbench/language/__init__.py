"""Language models: the prompt, the acceptance of replies, and the economy of calls."""
