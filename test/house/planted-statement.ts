import vm from 'node:vm'
import { Database } from '../../src/platform/db/database.ts'
import { watchStatements } from '../../tools/tenancy/watch.ts'

/** A process in which a store that stands nowhere sends a statement: what watches them must end it. */
await watchStatements()
const [text = ''] = process.argv.slice(2)
const filename = new URL('../../src/orders/planted.store.ts', import.meta.url).href
const send = vm.runInThisContext('(function planted(db, text) { return db.query(text) })', { filename }) as (
  db: Database,
  text: string,
) => Promise<unknown>
const db = new Database({ connections: [{ host: '127.0.0.1', port: 1 }], poolSize: 1 })
await send(db, text).catch(() => console.log('sent'))
