/** Names that people know. */
const NAMES: Record<string, string> = {
  sandbox: 'the sandbox bank',
  razorpay: 'Razorpay',
  cashfree: 'Cashfree',
}

export function providerName(provider: string): string {
  return NAMES[provider] ?? provider
}
