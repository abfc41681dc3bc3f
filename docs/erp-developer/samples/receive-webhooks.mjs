import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

// Run: SECRET_KEY=… PORT=3000 node receive-webhooks.mjs
const { SECRET_KEY, PORT = '3000' } = process.env

// Two tables of your database, each with its id as primary key.
const seenEvents = new Set()
const bookedPayments = new Map()

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const rawBody = Buffer.concat(chunks)
  if (!isOurs(rawBody, request.headers['x-signature'])) {
    response.writeHead(401).end()
    return
  }
  const event = JSON.parse(rawBody)
  if (!seenEvents.has(event.event_id)) {
    seenEvents.add(event.event_id)
    take(event)
  }
  response.writeHead(200).end()
})

// Of a secret_key that begins with whsec_ the key is Buffer.from(SECRET_KEY.slice(6), 'base64').
function isOurs(rawBody, signature = '') {
  const expected = createHmac('sha256', SECRET_KEY).update(rawBody).digest()
  const given = Buffer.from(signature, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

// Money that the institute gets. cred.emi.debited is not among them: that goes to the lender.
const MONEY = /^(pay|order|payment_link|page)\.payment\.debited$|^flex\.(downpayment|instalment)\.debited$/

function take({ event, payload: { payment } }) {
  if (!MONEY.test(event) || bookedPayments.has(payment.id)) return
  bookedPayments.set(payment.id, payment)
  console.log(`booked ${payment.id} ${payment.amount}`)
}

server.listen(Number(PORT), () => console.log(`listening on ${server.address().port}`))
