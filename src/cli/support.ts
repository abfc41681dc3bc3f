import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { type Config, readConfig } from '../app/config.ts'
import { examine } from '../app/doctor/doctor.service.ts'
import {
  attempt,
  describeDatabase,
  describeFigures,
  describeMachine,
} from '../app/support/support.service.ts'
import { describeSettings, listSecrets, MOST_BYTES, writeBundle } from '../app/support/support.rules.ts'
import { compareSchema } from '../platform/db/migrate.ts'
import { addExamples, formatBytes, InputError, show } from './terminal.ts'
import { withDatabase, withContext } from './with-database.ts'

export function addSupportCommand(program: Command): void {
  const support = program
    .command('support')
    .description(
      `write a file to attach to a question, of at most ${formatBytes(MOST_BYTES)}: how the installation stands, without people and secrets`,
    )
    .argument('[file]', 'to write, which must not be there yet')
    .action(runSupport)
  addExamples(support, ['bursar support', 'bursar support /tmp/bursar-support.json'])
}

async function runSupport(file = defaultName(new Date())): Promise<void> {
  const { env } = process
  const found = await attempt(() => look(readConfig(env)))
  const bundle = { madeAt: new Date(), machine: describeMachine(), settings: describeSettings(env), ...found }
  const text = writeBundle(bundle, listSecrets(env))
  try {
    await writeFile(file, `${text}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST'
    throw isThere ? new InputError(`${file} is there already: name another file.`) : error
  }
  const bytes = Buffer.byteLength(text)
  show({ file, bytes }, `Wrote ${file}, ${formatBytes(bytes)}. Read it before you send it.`)
}

async function look(config: Config): Promise<object> {
  return {
    database: await attempt(() => withDatabase(config, found => describeDatabase(config, found))),
    doctor: await attempt(() => askDoctor(config)),
    figures: await describeFigures(config),
  }
}

/** A look by the doctor opens the database as a start does, so only one that a start would leave as it is. */
async function askDoctor(config: Config): Promise<unknown> {
  const schema = await withDatabase(config, ({ db }) => compareSchema(db))
  if (schema !== 'fits') return `not asked: the schema is ${schema} than this version wants`
  let findings: unknown
  await withContext(async ctx => {
    findings = await examine(config, ctx)
  })
  return findings
}

/** bursar-support-20261119T0930.json, UTC */
function defaultName(now: Date): string {
  return `bursar-support-${now.toISOString().slice(0, 16).replaceAll(/[-:]/g, '')}Z.json`
}
