import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { Books, type Student } from '../../examples/erp/books.ts'
import { Bursar } from '../../examples/erp/bursar.ts'
import { createErp, type Secrets } from '../../examples/erp/server.ts'
import { DEMO } from '../harness/client.ts'

export const SECRETS: Secrets = {
  username: 'bursar',
  password: 'a-password-of-the-erp',
  webhookSecret: 'a-secret-of-the-example-erp',
}

export type ExampleErp = { books: Books; url: string; stop(): Promise<void>; restart(): Promise<void> }

/** The example ERP on a socket of its own; `restart` takes the same port again. */
export async function startErp(
  owner: { after(done: () => Promise<void> | void): void },
  { books = new Books(), create = createErp } = {},
): Promise<ExampleErp> {
  let server = create(books, SECRETS).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = async (): Promise<void> => {
    if (!server.listening) return
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
  owner.after(stop)
  return {
    books,
    url: `http://127.0.0.1:${port}`,
    stop,
    async restart() {
      server = create(books, SECRETS).listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
  }
}

export function clientOf(url: string): Bursar {
  return new Bursar({ baseUrl: url, apiKey: DEMO.key, apiSecret: DEMO.secret })
}

export function sampleStudent(changes: Partial<Student> = {}): Student {
  return {
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
    ...changes,
  }
}
