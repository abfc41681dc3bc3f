import type { Clock } from '../clock.ts'
import { type EmulatorAnswer, type SeenRequest, type Server, startServer } from '../server.ts'
import { type Books, found, type Habits, type Keys, openBooks, refuse } from './books.ts'
import { createExecution, createNotification } from './controlled.ts'
import { listDisputes } from './disputes.ts'
import { createOrder, createRefund, listPayments, listRefunds, terminateOrder } from './orders.ts'
import { listRecon } from './settlements.ts'
import { createAccount, listByUtr, manageAccount, readAccount } from './virtual-accounts.ts'
import { listVendorRecon, readVendor } from './vendors.ts'
import { createCharge, createChargeRefund, createSubscription, manageSubscription } from './subscriptions.ts'

/** Cashfree's payment gateway as its documentation of version 2025-01-01 describes it, with books of its own. */
export type CashfreeEmulator = Server & {
  books: Books
  /** The address of its API, for CASHFREE_API_URL. */
  apiUrl: string
}

type EmulatorOptions = {
  port?: number
  keys?: Keys
  now?: () => Date
  /** In the place of `now`, for a time that somebody else sets. */
  clock?: Clock
  habits?: Partial<Habits>
  /** Serves what is not under /pg: the payer's pages. */
  pages?: (books: Books, request: SeenRequest) => EmulatorAnswer | Promise<EmulatorAnswer>
}

export async function startCashfree(options: EmulatorOptions = {}): Promise<CashfreeEmulator> {
  const { port, pages, clock } = options
  const books = openBooks({ ...options, now: clock?.now ?? options.now })
  const server = await startServer(
    request =>
      request.path.startsWith('/pg/') || pages === undefined
        ? serveApi(books, request)
        : pages(books, request),
    { port, clock },
  )
  return { ...server, books, apiUrl: `${server.url}/pg` }
}

type Route = [
  method: string,
  path: RegExp,
  handle: (books: Books, ids: string[], request: SeenRequest) => EmulatorAnswer,
]

const ROUTES: Route[] = [
  ['POST', /^\/orders$/, (books, _, { body }) => createOrder(books, body)],
  ['GET', /^\/orders\/([^/]+)$/, (books, [id = '']) => found(books.orders.get(id), 'order')],
  ['PATCH', /^\/orders\/([^/]+)$/, (books, [id = ''], { body }) => terminateOrder(books, id, body)],
  ['GET', /^\/orders\/([^/]+)\/payments$/, (books, [id = '']) => listPayments(books, id)],
  ['POST', /^\/orders\/([^/]+)\/refunds$/, (books, [id = ''], { body }) => createRefund(books, id, body)],
  [
    'GET',
    /^\/orders\/[^/]+\/refunds\/([^/]+)$/,
    (books, [id = '']) => found(books.refunds.get(id), 'refund'),
  ],
  ['GET', /^\/payments\/(\d+)\/disputes$/, (books, [id = '']) => listDisputes(books, { paymentId: id })],
  ['GET', /^\/orders\/([^/]+)\/disputes$/, (books, [id = '']) => listDisputes(books, { orderId: id })],
  ['POST', /^\/settlement\/recon$/, (books, _, { body }) => listRecon(books, body)],
  ['GET', /^\/easy-split\/vendors\/([^/]+)$/, (books, [id = '']) => readVendor(books, id)],
  ['POST', /^\/recon\/vendor$/, (books, _, { body }) => listVendorRecon(books, body)],
  ['GET', /^\/orders\/([^/]+)\/refunds$/, (books, [id = '']) => listRefunds(books, id)],
  ['POST', /^\/subscriptions$/, (books, _, { body }) => createSubscription(books, body)],
  ['POST', /^\/subscriptions\/pay$/, (books, _, { body }) => createCharge(books, body)],
  [
    'POST',
    /^\/subscriptions\/pay\/controlled\/notify-mandate$/,
    (books, _, { body }) => createNotification(books, body),
  ],
  [
    'POST',
    /^\/subscriptions\/pay\/controlled\/execute-mandate$/,
    (books, _, { body }) => createExecution(books, body),
  ],
  [
    'GET',
    /^\/subscriptions\/payments\/[^/]+\/controlled\/notifications\/([^/]+)$/,
    (books, [id = '']) => found(books.notifications.get(id), 'notification'),
  ],
  [
    'GET',
    /^\/subscriptions\/payments\/[^/]+\/controlled\/executions\/([^/]+)$/,
    (books, [id = '']) => found(books.executions.get(id), 'execution'),
  ],
  [
    'GET',
    /^\/subscriptions\/([^/]+)$/,
    (books, [id = '']) => found(books.subscriptions.get(id), 'subscription'),
  ],
  [
    'POST',
    /^\/subscriptions\/([^/]+)\/manage$/,
    (books, [id = ''], { body }) => manageSubscription(books, id, body),
  ],
  [
    'GET',
    /^\/subscriptions\/[^/]+\/payments\/([^/]+)$/,
    (books, [id = '']) => found(books.charges.get(id), 'payment'),
  ],
  [
    'POST',
    /^\/subscriptions\/([^/]+)\/refunds$/,
    (books, [id = ''], { body }) => createChargeRefund(books, id, body),
  ],
  [
    'GET',
    /^\/subscriptions\/[^/]+\/refunds\/([^/]+)$/,
    (books, [id = '']) => found(books.chargeRefunds.get(id), 'refund'),
  ],
  ['POST', /^\/vba$/, (books, _, { body }) => createAccount(books, body)],
  ['GET', /^\/vba\/payments\/([^/]+)$/, (books, [utr = '']) => listByUtr(books, utr)],
  ['GET', /^\/vba\/([^/]+)$/, (books, [id = '']) => readAccount(books, id)],
  ['PATCH', /^\/vba\/([^/]+)$/, (books, [id = ''], { body }) => manageAccount(books, id, body)],
]

function serveApi(books: Books, request: SeenRequest): EmulatorAnswer {
  const { headers, method, body } = request
  const { clientId, clientSecret } = books.keys
  if (headers['x-client-id'] !== clientId || headers['x-client-secret'] !== clientSecret)
    return refuse(401, 'request_failed', 'authentication Failed', 'authentication_error')
  const path = request.path.slice('/pg'.length)
  if (headers['x-api-version'] !== (path.startsWith('/vba') ? '2024-07-10' : '2025-01-01'))
    return refuse(400, 'x-api-version_invalid', 'x-api-version : is invalid')
  for (const [wanted, pattern, handle] of ROUTES) {
    const match = method === wanted ? pattern.exec(path) : null
    if (match === null) continue
    const key = String(headers['x-idempotency-key'] ?? '')
    const answer = () => handle(books, match.slice(1), request)
    return key === '' ? answer() : answerOnce(books, `${path} ${key}`, { text: JSON.stringify(body), answer })
  }
  return refuse(404, 'request_invalid', 'endpoint or method is not valid')
}

/** The same key with the same body gives the same answer; with another body it is refused. Refusals are not kept. */
function answerOnce(
  books: Books,
  key: string,
  { text, answer }: { text: string; answer: () => EmulatorAnswer },
): EmulatorAnswer {
  const known = books.answers.get(key)
  if (known !== undefined && known.request !== text)
    return refuse(
      422,
      'idempotency_key_reused',
      'Idempotency key was used with another request',
      'idempotency_error',
    )
  if (known !== undefined) return known.answer
  const made = answer()
  if (made.status < 300) books.answers.set(key, { request: text, answer: structuredClone(made) })
  return made
}
