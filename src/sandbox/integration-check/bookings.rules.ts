import { parseAnswer } from '../../platform/json.rules.ts'
import { formatRupees, parseRupees, type Paise } from '../../platform/money.ts'

/** What an ERP shows of its books, by payment: the only way to see from outside that something was booked once. */
export type Booking = { type: string; id: string; amountPaise: Paise | null; shown: string }
export type Books = { kind: 'read'; bookings: readonly Booking[] } | { kind: 'unreadable'; message: string }
export type Expected = { type: 'payment' | 'refund'; id: string; amountPaise: Paise }

const SHAPE =
  '200 with {"status": "success", "data": {"bookings": [{"type": "payment", "id": "pay_…", "amount": 12345.67}]}}'

export function readBookings(httpStatus: number, body: Buffer): Books {
  const unreadable = { kind: 'unreadable', message: `bookings_url has to answer ${SHAPE}` } as const
  if (httpStatus !== 200)
    return { ...unreadable, message: `${unreadable.message}; it answered ${httpStatus}` }
  try {
    const { data } = parseAnswer(body) as { data?: { bookings?: unknown } }
    const rows = data?.bookings
    if (!Array.isArray(rows)) return unreadable
    return { kind: 'read', bookings: rows.map(readBooking) }
  } catch {
    return unreadable
  }
}

function readBooking(row: unknown): Booking {
  const { type, id, amount } = (row ?? {}) as Record<string, unknown>
  return { type: String(type), id: String(id), amountPaise: parseRupees(amount), shown: String(amount) }
}

const ONCE = {
  payment: 'drop a repeat by event_id, and make payment.id the key of a booking',
  refund: 'make refund.id the key of its booking',
}

export type Difference = {
  message: string
  /** Something is missing, and an ERP that answers first may book it yet. */
  mayPass: boolean
}

/** What differs from what the events said; null when the books are right. */
export function differenceIn(bookings: readonly Booking[], expected: readonly Expected[]): Difference | null {
  for (const { type, id, amountPaise } of expected) {
    const rows = bookings.filter(row => row.type === type && row.id === id)
    const [row] = rows
    const what = `${type === 'payment' ? 'Payment' : 'Refund'} ${id} of ${formatRupees(amountPaise)}`
    if (row === undefined)
      return { message: `${what} was delivered and accepted, and is not in your books.`, mayPass: true }
    if (rows.length > 1) return wrong(`${what} is in your books ${rows.length} times: ${ONCE[type]}.`)
    if (row.amountPaise !== amountPaise)
      return wrong(
        `${what} is in your books with ${row.shown}: read amounts as decimals, exact to the paisa.`,
      )
  }
  const other = bookings.find(row => !expected.some(one => one.type === row.type && one.id === row.id))
  if (other === undefined) return null
  return wrong(
    `${other.type} ${other.id} of ${other.shown} is in your books besides: book each payment and refund once, by its id.`,
  )
}

function wrong(message: string): Difference {
  return { message, mayPass: false }
}
