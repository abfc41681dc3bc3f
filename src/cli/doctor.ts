import type { Command } from 'commander'
import { readConfig } from '../app/config.ts'
import { connectTo } from '../app/open-database.ts'
import { examine } from '../app/doctor/doctor.service.ts'
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

async function runDoctor(): Promise<void> {
  const config = readConfig(process.env)
  // Says at once how each server stands where none takes writes; to open it would wait for a promotion.
  if (config.databaseUrl !== null) await (await connectTo(config))?.db.close()
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
