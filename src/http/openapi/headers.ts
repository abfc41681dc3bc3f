/** Headers of answers, each documented once. */
export const HEADERS = {
  'X-Request-Id': header(
    { type: 'string' },
    'Id of the request; quote it when you ask for help.',
    'req_01k9zq4m0ve8sbn6yt2hw3c5da',
  ),
  'RateLimit-Limit': header({ type: 'integer' }, 'How many requests the API key may send at once.', 100),
  'RateLimit-Remaining': header({ type: 'integer' }, 'How many of them are left now.', 99),
  'RateLimit-Reset': header({ type: 'integer' }, 'In how many seconds all of them are left again.', 1),
  'Retry-After': header({ type: 'integer' }, 'After how many seconds to try again.', 1),
  'Idempotent-Replayed': header(
    { type: 'string', enum: ['true'] },
    'Present when the answer is that of an earlier request with the same Idempotency-Key.',
    'true',
  ),
  'Content-Disposition': header(
    { type: 'string' },
    'The name of the file.',
    'attachment; filename="receipt-order_01k9zq4m0ve8sbn6yt2hw3c5da.pdf"',
  ),
  ETag: header(
    { type: 'string' },
    'Send it as If-None-Match: 304 without a body says that the file is still the same.',
    '"3m1Q0xT5dC7Yk2bRw9Zs4A"',
  ),
} as const

export type HeaderName = keyof typeof HEADERS

const EVERY: readonly HeaderName[] = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
]

export function headersOf(others: readonly HeaderName[]): Record<string, unknown> {
  return Object.fromEntries(
    [...EVERY, ...others].map(name => [name, { $ref: `#/components/headers/${name}` }]),
  )
}

/** The four headers of every delivery, after Standard Webhooks, and the plain HMAC. */
export const DELIVERY_HEADERS = [
  deliveryHeader(
    'webhook-id',
    'The `event_id`: the same on every attempt.',
    'evt_01k9zq4m0ve8sbn6yt2hw3c5da',
    true,
  ),
  deliveryHeader('webhook-timestamp', 'When it was sent, Unix seconds.', '1794717130', true),
  deliveryHeader(
    'webhook-signature',
    'Of `{webhook-id}.{webhook-timestamp}.{body}`: `v1,` and the HMAC-SHA256 in base64, several separated by blanks ' +
      'while a key is rotated. Absent when the subscription has no `secret_key`.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
  deliveryHeader(
    'x-signature',
    'The HMAC-SHA256 of the body alone in hex. Absent when the subscription has no `secret_key`.',
    '5c1e2b0a8f5f0dd4bd1d6f3a2a7f7b8f3a0c9e1d2b3c4d5e6f708192a3b4c5d6',
  ),
]

function header(schema: object, description: string, example: unknown): object {
  return { description, schema, example }
}

function deliveryHeader(name: string, description: string, example: string, required = false): object {
  return { name, in: 'header', required, description, schema: { type: 'string' }, example }
}
