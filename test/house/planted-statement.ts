import vm from 'node:vm'
import { Database } from '../../src/platform/db/database.ts'
import { watchStatements } from '../../tools/tenancy/watch.ts'

/** A process in which a store that stands nowhere sends a statement: what watches them must end it. */
await watchStatements()
const [text = '', ...allowed] = process.argv.slice(2)
const db = new Database({ connections: [{ host: '127.0.0.1', port: 1 }], poolSize: 1 })
// Those who may send it, such as `orders/orders.store.ts firstExpiry`, are first.
for (const sender of [...allowed, 'orders/planted.store.ts planted']) {
  const [file = '', name = ''] = sender.split(' ')
  const filename = new URL(`../../src/${file}`, import.meta.url).href
  const send = vm.runInThisContext(`(function ${name}(db, text) { return db.query(text) })`, {
    filename,
  }) as (db: Database, text: string) => Promise<unknown>
  await send(db, text).catch(() => console.log(`sent by ${name}`))
}
