import { createHmac, timingSafeEqual } from 'node:crypto'

// Run: node check-callback.mjs ADDRESS CALLBACK_KEY
export function isSigned(address, callbackKey) {
  const { searchParams } = new URL(address)
  const text = `${searchParams.get('order_id')}|${searchParams.get('status')}`
  const expected = createHmac('sha256', callbackKey).update(text).digest()
  const given = Buffer.from(searchParams.get('signature') ?? '', 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const [, script, address, callbackKey] = process.argv
if (import.meta.filename === script) console.log(isSigned(address, callbackKey) ? 'signed' : 'not signed')
