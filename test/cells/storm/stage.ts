import { startCashfree, type CashfreeEmulator } from '../../../emulators/cashfree/emulator.ts'
import { KEYS as CASHFREE_KEYS } from '../../../emulators/cashfree/books.ts'
import { KEYS as RAZORPAY_KEYS } from '../../../emulators/razorpay/books.ts'
import { startRazorpay, type RazorpayEmulator } from '../../../emulators/razorpay/emulator.ts'
import { readConfig } from '../../../src/app/config.ts'
import { openDatabase } from '../../../src/app/open-database.ts'
import { CellConnections, openCellDatabase } from '../../../src/cells/connections.ts'
import { addCell, placeSchool } from '../../../src/cells/directory.service.ts'
import { syncOnce } from '../../../src/cells/maps.service.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { createKey } from '../../../src/institutes/keys.service.ts'
import type { Context } from '../../../src/platform/context.ts'
import { addAccount } from '../../../src/providers/accounts/accounts.service.ts'
import { AccountRegistry } from '../../../src/providers/accounts/registry.service.ts'
import { TEST_MASTER_KEY } from '../../harness/bursar.ts'
import { Client, type Credentials } from '../../harness/client.ts'
import { startReceiver, type Receiver } from '../../harness/receiver.ts'
import { ERP, PAY, sampleWebhook } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import { prepareProxy, type TestProxy } from '../proxy.ts'
import { BursarProcess, OurProcess, PostgresServer, type Owner } from './machines.ts'

export type CellName = 'north' | 'south'
export const CELLS: readonly CellName[] = ['north', 'south']

/** A cell by itself: a PostgreSQL server, and processes that use it. */
export type StormCell = { name: CellName; postgres: PostgresServer; bursars: readonly BursarProcess[] }

/** How a school's payers pay: at the sandbox's bank, or at a gateway that reports by signed callbacks. */
export type Gateway = 'sandbox' | 'razorpay' | 'cashfree'

export type School = {
  code: string
  id: number
  gateway: Gateway
  /** Where the gateway posts to; empty: it does not. */
  callbackPath: string
  credentials: Credentials
  /** Where it lived at first; one that stays never moves. */
  home: CellName
  stays: boolean
}

/** Two cells, HAProxy and what looks after it, as the guide sets them up, and whom they speak to. */
export type Stage = {
  cells: Readonly<Record<CellName, StormCell>>
  proxy: TestProxy
  /** `bursar cells sync --watch`. */
  sync: OurProcess
  /** What commands of `bursar cells` are run with. */
  env: Record<string, string>
  schools: readonly School[]
  receiver: Receiver
  razorpay: RazorpayEmulator
  cashfree: CashfreeEmulator
}

const SCHOOLS: readonly Pick<School, 'code' | 'gateway' | 'home' | 'stays'>[] = [
  { code: 'ash-school', gateway: 'razorpay', home: 'north', stays: false },
  { code: 'elm-school', gateway: 'cashfree', home: 'south', stays: false },
  { code: 'fir-school', gateway: 'sandbox', home: 'north', stays: true },
  { code: 'oak-school', gateway: 'sandbox', home: 'south', stays: true },
]

const realNow = (): Date => new Date()

export async function openStage(owner: Owner, { processes }: { processes: number }): Promise<Stage> {
  const proxy = await prepareProxy(owner, { reloads: true })
  const [razorpay, cashfree] = [await startRazorpay({ now: realNow }), await startCashfree({ now: realNow })]
  owner.after(async () => void (await Promise.all([razorpay.close(), cashfree.close()])))
  const receiver = await startReceiver(owner)
  const common = {
    MASTER_KEY: TEST_MASTER_KEY,
    PUBLIC_URL: proxy.url,
    TRUST_PROXY: '127.0.0.1',
    RAZORPAY_API_URL: razorpay.url,
    CASHFREE_API_URL: cashfree.apiUrl,
    // All payers come from one address.
    PUBLIC_RATE: '100000',
    PUBLIC_BURST: '100000',
    LOG_LEVEL: 'error',
    LOG_FORMAT: 'json',
  }
  const build = async (name: CellName): Promise<StormCell> => {
    const postgres = await PostgresServer.open(owner)
    const env = { ...common, CELL: name, DATABASE_URL: postgres.url }
    const bursars = await Promise.all(
      Array.from({ length: processes }, () => BursarProcess.prepare(owner, env)),
    )
    return { name, postgres, bursars }
  }
  const [north, south] = await Promise.all([build('north'), build('south')])
  const cells = { north, south }
  const env = {
    ...common,
    DATABASE_URL: north.postgres.url,
    CELL_MAPS: proxy.maps,
    CELL_PROXIES: proxy.socket,
  }
  const schools = await settle({ cells, env, proxy, receiver })
  const sync = new OurProcess(owner, ['src/cli/main.ts', 'cells', 'sync', '--watch'], env)
  sync.start()
  return { cells, proxy, sync, env, schools, receiver, razorpay, cashfree }
}

/** Cells in one directory, schools in them, and everything that runs. */
async function settle({
  cells,
  env,
  proxy,
  receiver,
}: Pick<Stage, 'cells' | 'env' | 'proxy' | 'receiver'>): Promise<School[]> {
  const config = readConfig({ ...env, DEMO: 'off' })
  const { ctx: opened } = await openDatabase(config)
  const ctx = { ...opened, publicUrl: proxy.url }
  const connections = new CellConnections(ctx)
  try {
    for (const name of CELLS) {
      const { postgres, bursars } = cells[name]
      await addCell(ctx, { name, addresses: bursars.map(({ host }) => host), databaseUrl: postgres.url })
    }
    const schools: School[] = []
    for (const plan of SCHOOLS) {
      const branches = [{ collectorCode: 'MAIN', name: 'Main branch' }]
      const input = { cell: plan.home, code: plan.code, name: plan.code, strictCatalogue: false, branches }
      await placeSchool(ctx, connections, input)
      schools.push(await equip(ctx, config, cells[plan.home], plan))
    }
    await syncOnce(ctx, connections, { folder: proxy.maps, sockets: [] })
    for (const name of CELLS) for (const bursar of cells[name].bursars) bursar.start()
    await Promise.all(CELLS.flatMap(name => cells[name].bursars.map(bursar => bursar.becomeReady())))
    await proxy.start()
    for (const { code, credentials } of schools) {
      const client = new Client(proxy.url, credentials)
      await waitFor(
        async () => (await client.get(`${PAY}/orders`)).status === 200,
        `${code} behind the proxy`,
      )
      const hook = await client.post(`${ERP}/webhooks`, sampleWebhook({ url: `${receiver.origin}/${code}` }))
      if (hook.status >= 300) throw new Error(hook.text)
    }
    return schools
  } finally {
    await connections.close()
    await ctx.db.close()
  }
}

const SETTINGS: Readonly<Record<Exclude<Gateway, 'sandbox'>, { field: string; value: string }[]>> = {
  razorpay: [
    { field: 'key_id', value: RAZORPAY_KEYS.keyId },
    { field: 'key_secret', value: RAZORPAY_KEYS.keySecret },
    { field: 'webhook_secret', value: RAZORPAY_KEYS.webhookSecret },
  ],
  cashfree: [
    { field: 'client_id', value: CASHFREE_KEYS.clientId },
    { field: 'client_secret', value: CASHFREE_KEYS.clientSecret },
  ],
}

/** A key, and an account at its gateway. */
async function equip(
  directory: Context,
  { providerUrls: apiUrls, providers: values }: ReturnType<typeof readConfig>,
  { postgres }: StormCell,
  plan: (typeof SCHOOLS)[number],
): Promise<School> {
  const db = openCellDatabase(postgres.url)
  const ctx = { ...directory, db }
  try {
    const institute = await getInstitute(ctx, plan.code)
    const { keyId, secret } = await createKey(ctx, plan.code, { label: 'ERP', scopes: ['read', 'write'] })
    const school = { ...plan, id: institute.id, credentials: { key: keyId, secret }, callbackPath: '' }
    const { gateway: provider } = plan
    if (provider === 'sandbox') return school
    const accounts = new AccountRegistry(ctx, new Map(), { apiUrls, values })
    const command = { instituteId: institute.id }
    const by = { institute, by: 'test' }
    const account = await addAccount({ ...ctx, accounts }, command, by, {
      provider,
      title: provider,
      collectorCode: null,
      methods: ['upi', 'card', 'netbanking'],
      rails: [],
      settings: SETTINGS[provider],
    })
    return { ...school, callbackPath: `/callbacks/${provider}/${account.id}` }
  } finally {
    await db.close()
  }
}
