"""What was asked, decided and answered: durable before the answer leaves, and tamper-evident."""
