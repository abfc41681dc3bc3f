import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { readConfig } from '../app/config.ts'
import { OffsetClock } from '../platform/clock.ts'
import { Database } from '../platform/db/database.ts'
import { anyAddress } from '../platform/http-client/addresses.ts'
import { JobRunner } from '../platform/jobs/job-runner.ts'
import type { Context } from '../platform/context.ts'
import { createLog } from '../platform/log.ts'
import { MASTER_KEY_BYTES, Vault } from '../platform/secrets.ts'
import { addExamples, show, writeOut } from './terminal.ts'

/** Always the same, so that the file changes only when the API does. */
const PUBLIC_URL = 'http://127.0.0.1:8080'

export function addOpenApiCommand(program: Command): void {
  const openapi = program
    .command('openapi')
    .description('write the OpenAPI document of the API; needs no database')
    .argument('[file]', 'where to; stdout if absent')
    .action(runOpenApi)
  addExamples(openapi, ['bursar openapi openapi.json', 'bursar openapi | jq .paths'])
}

async function runOpenApi(name?: string): Promise<void> {
  const text = `${JSON.stringify(await generateDocument(), null, 2)}\n`
  if (name === undefined) {
    writeOut(text)
    return
  }
  const file = resolve(name)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  show({ file }, `Wrote ${file}.`)
}

/** Builds the app without listening, on a database that is never connected to. */
async function generateDocument(): Promise<object> {
  const db = new Database({ connections: [{}], poolSize: 1 })
  const clock = new OffsetClock()
  const log = createLog({ level: 'silent', format: 'json', destination: { write() {} } })
  // Loaded here, because the HTTP side would double the start of every other command.
  const [{ createHttpServer }, { createContext }, { describeInstallation }, { describeApi }, events] =
    await Promise.all([
      import('../app/routes.ts'),
      import('../app/context.ts'),
      import('../app/installation.ts'),
      import('../http/openapi/document.ts'),
      import('../webhooks/events.docs.ts'),
    ])
  const base: Context = {
    db,
    clock,
    vault: new Vault(Buffer.alloc(MASTER_KEY_BYTES)),
    mode: 'sandbox',
    publicUrl: PUBLIC_URL,
    cell: null,
    addressPolicy: anyAddress,
  }
  const config = readConfig({})
  const { ctx, simulators, closeErp } = await createContext(config, base, log)
  const worker = new JobRunner([], { clock, log })
  const app = await createHttpServer({
    ctx,
    log,
    sandbox: simulators === null ? null : { db, clock, worker, ctx, ...simulators },
    readiness: { isDraining: false, warnings: () => [] },
    machine: null,
    installation: describeInstallation(config, worker, null),
    metricsToken: null,
    trustProxy: false,
    publicRate: config.publicRate,
    examine: async () => [],
  })
  try {
    await app.ready()
    return describeApi(app.routeTable, { publicUrl: PUBLIC_URL, webhooks: events.EVENT_WEBHOOKS })
  } finally {
    await app.close()
    await closeErp()
    await db.close()
  }
}
