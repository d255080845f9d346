"""Input pipelines of queues: what produces elements, and what makes batches of them."""
