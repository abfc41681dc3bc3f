import type { Clock } from '../clock.ts'
import { type EmulatorAnswer, type Fields, type SeenRequest, type Server, startServer } from '../server.ts'
import { type Books, found, type Habits, type Keys, openBooks, page, refuse, signEvent } from './books.ts'
import type { Payment, ReconItem } from './entities.ts'
import { cancelLink, createLink, createRefund, listLinks, listRefunds, payLink, readLink } from './links.ts'
import { cancelInvoice, cancelToken, createRegistrationLink, listInvoices, readToken } from './mandates.ts'
import { closeAccount, createAccount, listAccounts, readTransfer } from './virtual-accounts.ts'
import { listOfPayment, listReversals, listTransfers, reverse } from './route.ts'
import { chargeToken, createOrder, listOrderPayments, listOrders } from './orders.ts'

/**
 * Razorpay as its documentation describes it, with books of its own. What the documentation leaves out is as others
 * met it on the real one: the sentence about a `reference_id` that is taken, with no code that would tell it apart.
 */
export type RazorpayEmulator = Server &
  Pick<Books, 'links' | 'payments' | 'refunds' | 'recon'> & {
    books: Books
    /** The payer's visit to a link. */
    pay(linkId: string, changes?: Partial<Payment>): Payment
    event(name: string, entities: Fields): { rawBody: Buffer; headers: Record<string, string> }
  }

export type EmulatorOptions = {
  port?: number
  keys?: Keys
  now?: () => Date
  /** In the place of `now`, for a time that somebody else sets. */
  clock?: Clock
  habits?: Partial<Habits>
  /** Serves what is not under /v1: the payer's pages. */
  pages?: (books: Books, request: SeenRequest) => EmulatorAnswer
}

export async function startRazorpay(options: EmulatorOptions = {}): Promise<RazorpayEmulator> {
  const { port, pages, clock } = options
  const books = openBooks({ ...options, now: clock?.now ?? options.now })
  const server = await startServer(
    request =>
      /^\/v[12]\//.test(request.path) || pages === undefined
        ? serveApi(books, request)
        : pages(books, request),
    { port, clock },
  )
  books.pages = server.url
  const { links, payments, refunds, recon } = books
  return {
    ...server,
    links,
    payments,
    refunds,
    recon,
    books,
    pay: (linkId, changes) => payLink(books, linkId, changes),
    event: (name, entities) => signEvent(books, name, entities),
  }
}

type Route = [
  method: string,
  path: RegExp,
  handle: (books: Books, ids: string[], request: SeenRequest) => EmulatorAnswer,
]

const ROUTES: Route[] = [
  ['POST', /^\/v1\/payment_links$/, (books, _, { body }) => createLink(books, body)],
  ['GET', /^\/v1\/payment_links$/, (books, _, { query }) => listLinks(books, query)],
  ['GET', /^\/v1\/payment_links\/([^/]+)$/, (books, [id = '']) => readLink(books, id)],
  ['POST', /^\/v1\/payment_links\/([^/]+)\/cancel$/, (books, [id = '']) => cancelLink(books, id)],
  ['POST', /^\/v1\/payments\/create\/recurring$/, (books, _, { body }) => chargeToken(books, body)],
  [
    'POST',
    /^\/v1\/payments\/([^/]+)\/refund$/,
    (books, [id = ''], request) => createRefund(books, id, request),
  ],
  [
    'GET',
    /^\/v1\/payments\/([^/]+)\/refunds$/,
    (books, [id = ''], { query }) => listRefunds(books, id, query),
  ],
  ['GET', /^\/v1\/payments\/([^/]+)$/, (books, [id = '']) => found(books.payments.get(id))],
  [
    'GET',
    /^\/v1\/payments\/([^/]+)\/(bank_transfer|upi_transfer)$/,
    (books, [id = '', entity = '']) => readTransfer(books, id, entity),
  ],
  ['POST', /^\/v1\/virtual_accounts$/, (books, _, { body }) => createAccount(books, body)],
  ['GET', /^\/v1\/virtual_accounts$/, (books, _, { query }) => listAccounts(books, query)],
  ['GET', /^\/v1\/virtual_accounts\/([^/]+)$/, (books, [id = '']) => found(books.virtualAccounts.get(id))],
  ['POST', /^\/v1\/virtual_accounts\/([^/]+)\/close$/, (books, [id = '']) => closeAccount(books, id)],
  ['POST', /^\/v1\/orders$/, (books, _, { body }) => createOrder(books, body)],
  ['GET', /^\/v1\/orders$/, (books, _, { query }) => listOrders(books, query)],
  ['GET', /^\/v1\/orders\/([^/]+)$/, (books, [id = '']) => found(books.orders.get(id))],
  ['GET', /^\/v1\/orders\/([^/]+)\/payments$/, (books, [id = '']) => listOrderPayments(books, id)],
  [
    'POST',
    /^\/v1\/subscription_registration\/auth_links$/,
    (books, _, { body }) => createRegistrationLink(books, body),
  ],
  ['GET', /^\/v1\/invoices$/, (books, _, { query }) => listInvoices(books, query)],
  ['GET', /^\/v1\/invoices\/([^/]+)$/, (books, [id = '']) => found(books.invoices.get(id))],
  ['POST', /^\/v1\/invoices\/([^/]+)\/cancel$/, (books, [id = '']) => cancelInvoice(books, id)],
  [
    'GET',
    /^\/v1\/customers\/([^/]+)\/tokens\/([^/]+)$/,
    (books, [customer = '', token = '']) => readToken(books, customer, token),
  ],
  [
    'PUT',
    /^\/v1\/customers\/([^/]+)\/tokens\/([^/]+)\/cancel$/,
    (books, [customer = '', token = '']) => cancelToken(books, customer, token, 'cancel'),
  ],
  [
    'DELETE',
    /^\/v1\/customers\/([^/]+)\/tokens\/([^/]+)$/,
    (books, [customer = '', token = '']) => cancelToken(books, customer, token, 'delete'),
  ],
  ['GET', /^\/v1\/customers\/([^/]+)$/, (books, [id = '']) => found(books.customers.get(id))],
  [
    'GET',
    /^\/v1\/disputes$/,
    (books, _, { query }) => page([...books.disputes.values()].toReversed(), query),
  ],
  ['GET', /^\/v1\/disputes\/([^/]+)$/, (books, [id = '']) => found(books.disputes.get(id))],
  ['GET', /^\/v1\/transfers$/, (books, _, { query }) => listTransfers(books, query)],
  [
    'GET',
    /^\/v1\/payments\/([^/]+)\/transfers$/,
    (books, [id = ''], { query }) => listOfPayment(books, id, query),
  ],
  [
    'GET',
    /^\/v1\/transfers\/([^/]+)\/reversals$/,
    (books, [id = ''], { query }) => listReversals(books, id, query),
  ],
  ['POST', /^\/v1\/transfers\/([^/]+)\/reversals$/, (books, [id = ''], { body }) => reverse(books, id, body)],
  [
    'GET',
    /^\/v2\/accounts\/([^/]+)\/products\/([^/]+)$/,
    (books, [account = '', product = '']) => found(books.linked.get(`${account}/${product}`)),
  ],
  [
    'GET',
    /^\/v1\/settlements\/recon\/combined$/,
    (books, _, { query }) => page(reconOf(books, query), query),
  ],
]

const INDIA_MS = 5.5 * 3_600_000

/** Of a month, or of one day of it, as settled in India. */
function reconOf(books: Books, query: URLSearchParams): ReconItem[] {
  const [year, month, day] = ['year', 'month', 'day'].map(key => query.get(key) ?? '')
  const wanted = [year, month?.padStart(2, '0'), day?.padStart(2, '0')]
    .filter(part => part !== '00')
    .join('-')
  return books.recon.filter(item => {
    const settledAt = new Date(Number(item['settled_at']) * 1_000 + INDIA_MS)
    return settledAt.toISOString().startsWith(wanted)
  })
}

function serveApi(books: Books, request: SeenRequest): EmulatorAnswer {
  const { keyId, keySecret } = books.keys
  const expected = `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`
  if (request.headers.authorization !== expected) return refuse('Authentication failed', 401)
  for (const [method, path, handle] of ROUTES) {
    const match = request.method === method ? path.exec(request.path) : null
    if (match !== null) return handle(books, match.slice(1), request)
  }
  return refuse('The requested URL was not found on the server.')
}
