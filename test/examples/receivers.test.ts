import { resolve } from 'node:path'
import { after, test } from 'node:test'
import { skipWithout } from '../sdk/languages.ts'
import { assertReceives, readJson, startReceiver } from './receivers.ts'
import { SECRETS, startErp } from './support.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const RECEIVERS = `${ROOT}/examples/receivers`
const GUARANTEE = 'books every payment and refund once, whatever the order, and refuses what is not genuine'

test(`the example ERP ${GUARANTEE}`, async () => {
  const { url } = await startErp({ after })
  const authorization = `Basic ${btoa(`${SECRETS.username}:${SECRETS.password}`)}`
  await assertReceives({
    url,
    secret: SECRETS.webhookSecret,
    bookingsOf: async id =>
      (await readJson(`${url}/bookings?payment_id=${id}`, { authorization })).data.bookings,
  })
})

test(`the receiver in Python ${GUARANTEE}`, { skip: skipWithout('python3') }, async () => {
  const env = { PYTHONPATH: `${ROOT}/sdk/python`, PYTHONDONTWRITEBYTECODE: '1' }
  await assertReceives(await startReceiver({ after }, () => ['python3', `${RECEIVERS}/receiver.py`], env))
})

test(`the receiver in PHP ${GUARANTEE}`, { skip: skipWithout('php') }, async () => {
  const env = { BURSAR_SDK: `${ROOT}/sdk/php/src/autoload.php` }
  await assertReceives(
    await startReceiver(
      { after },
      port => ['php', '-q', '-S', `127.0.0.1:${port}`, `${RECEIVERS}/receiver.php`],
      env,
    ),
  )
})
