import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { readConfig, type Config } from '../app/config.ts'
import { connectTo } from '../app/open-database.ts'
import { examine } from '../app/doctor/doctor.service.ts'
import { refuseUnused, UnreadableDatabase } from '../app/status/status.service.ts'
import { CLUSTER } from '../platform/backup/format.ts'
import { addExamples } from './terminal/help.ts'
import { formatTable, show } from './terminal/output.ts'
import { withContext } from './with-context.ts'

export function addDoctorCommand(program: Command): void {
  const doctor = program
    .command('doctor')
    .description('look at everything that an installation needs, and say what to do')
    .action(runDoctor)
  addExamples(doctor, ['bursar doctor', 'bursar doctor --json'])
}

/** Who only looks must not migrate an empty database, or settle that it is a sandbox. */
async function refuseToMake(config: Config): Promise<void> {
  if (config.databaseUrl === null && !existsSync(join(config.dataDir, CLUSTER)))
    throw new UnreadableDatabase(
      `${config.dataDir} has no database yet: start Bursar. If you meant another, set DATA_DIR or DATABASE_URL.`,
    )
  // Says at once how each server stands where none takes writes; to open it would wait for a promotion.
  const connected = await connectTo(config)
  if (connected === null) return
  try {
    await refuseUnused(connected.db)
  } finally {
    await connected.db.close()
  }
}

async function runDoctor(): Promise<void> {
  const config = readConfig(process.env)
  await refuseToMake(config)
  await withContext(async ctx => {
    const findings = await examine(config, ctx)
    const problems = findings.filter(({ verdict }) => verdict === 'problem').length
    const rows = findings.map(({ subject, verdict, text }) => [verdict, subject, text])
    const end = problems === 0 ? 'Nothing stands in the way.' : `${problems} to mend.`
    show(
      { mode: config.mode, problems, findings },
      `${formatTable(['', 'SUBJECT', 'FOUND'], rows)}\n\n${end}`,
    )
    if (problems > 0) process.exitCode = 1
  })
}
