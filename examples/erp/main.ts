import { Bursar } from './bursar.ts'
import { Books, type Student } from './books.ts'
import { connect, push } from './connect.ts'
import { reconcile } from './reconcile.ts'
import { createErp } from './server.ts'

const { BURSAR_URL = 'http://127.0.0.1:8080', BURSAR_KEY = 'key_test_demo', PORT = '4000' } = process.env
const { BURSAR_SECRET = 'secret_test_demo', DATABASE = 'erp.sqlite' } = process.env
const secrets = {
  username: 'bursar',
  password: process.env['ERP_PASSWORD'] ?? 'a-password-of-the-erp',
  webhookSecret: process.env['WEBHOOK_SECRET'] ?? 'a-secret-of-the-example-erp',
}

const books = new Books(DATABASE)
if (books.listStudents().length === 0) addExamples()

const bursar = new Bursar({ baseUrl: BURSAR_URL, apiKey: BURSAR_KEY, apiSecret: BURSAR_SECRET })
const server = createErp(books, secrets).listen(Number(PORT), '127.0.0.1')
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close())
await connect(bursar, process.env['ERP_URL'] ?? `http://127.0.0.1:${PORT}`, secrets)
for (const student of books.listStudents())
  if (student.state === 'active' && student.contact_email !== '') await push(bursar, books, student)
console.log(`The ERP listens on port ${PORT} and is connected with ${BURSAR_URL}.`)

// At once and every day: what no webhook brought, and what differs.
const daily = async (): Promise<void> => {
  for (const difference of await reconcile(bursar, books)) console.log(difference)
}
await daily()
setInterval(() => void daily().catch(console.error), 24 * 60 * 60 * 1_000).unref()

/** One student for each answer of a fetch-student endpoint. */
function addExamples(): void {
  const asha: Student = {
    identifier: 'ADM-1',
    year: 2026,
    fullname: 'Kabir Rao',
    grade: '5',
    date_of_birth: '2015-06-20',
    contact_name: 'Asha Rao',
    contact_email: 'asha@example.in',
    contact_number: '9876543210',
    state: 'active',
    service_student_id: null,
  }
  const fees = { TUITION_FEE: 48_000_00, TRANSPORT_FEE: 12_000_00 }
  books.addStudent(asha, fees)
  books.addStudent({ ...asha, identifier: 'ADM-2', fullname: 'Meera Nair', state: 'discontinued' }, fees)
  books.addStudent({ ...asha, identifier: 'ADM-3', fullname: 'Arjun Das', state: 'transferred' }, fees)
  books.addStudent({ ...asha, identifier: 'ADM-4', fullname: 'Zoya Khan', contact_email: '' }, fees)
}
