import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * An ERP that knows every student of the books and takes its time over each answer. Sends its port, then, whenever it
 * gets a message, how often it was asked and how often at once.
 */
const ANSWER_MS = 50

let calls = 0
let running = 0
let mostAtOnce = 0

const server = createServer((request, response) => {
  calls++
  mostAtOnce = Math.max(mostAtOnce, ++running)
  const { searchParams } = new URL(request.url ?? '', 'http://127.0.0.1')
  setTimeout(() => {
    running--
    response.setHeader('content-type', 'application/json')
    response.end(recordOf(searchParams.get('identifier') ?? ''))
  }, ANSWER_MS)
})
server.keepAliveTimeout = 60_000

/** What the books say of it, so that nothing has changed. */
function recordOf(identifier: string): string {
  const number = Number(identifier.slice('ADM-'.length))
  return JSON.stringify({
    status: 'success',
    data: {
      student: {
        fullname: `Student ${number}`,
        identifier,
        grade: '5',
        new_admission: false,
        academic_year_start: 2026,
        academic_year_end: 2027,
        primary_contact_name: 'Asha Rao',
        primary_contact_email: 'asha@example.in',
        primary_contact_number: '+91 98765 43210',
      },
      fee_components: [
        { component_type: 'TUITION_FEE', fee_amount: 4_000 + (number % 50) },
        { component_type: 'TRANSPORT_FEE', fee_amount: 650.5 },
      ],
    },
  })
}

process.on('message', () => process.send?.({ calls, mostAtOnce }))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
