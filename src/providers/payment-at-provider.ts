/** How a payment is named between us and its provider. */
export type PaymentAtProvider = { instituteId: number; paymentId: string; providerRef: string | null }

export type Payer = { name: string; phone: string; email: string }

/** What a provider answers when it has taken up a payment or a mandate: its name for it, and where the payer goes on. */
export type Started = { providerRef: string; redirectUrl: string }
