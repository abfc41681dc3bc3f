import type { Command } from 'commander'
import { getInstitute } from '../institutes/institutes.service.ts'
import { seedSchool } from '../sandbox/seed/seed.service.ts'
import { addExamples, InputError, show, startProgress } from './terminal.ts'
import { readInstituteCode } from './operator-input.ts'
import { withContext } from './with-database.ts'

const MOST_STUDENTS = 1_000_000

export function addSeedCommand(program: Command): void {
  const seed = program
    .command('seed')
    .description(
      'fill an institute of a sandbox with students who have paid for a year; adds to what is there',
    )
    .requiredOption('--students <number>', 'how many; each has ten payments', readStudents)
    .option('--institute <code>', 'whose', readInstituteCode, 'demo-school')
    .action(runSeed)
  addExamples(seed, ['bursar seed --students 1000', 'bursar seed --students 100000 --institute demo-group'])
}

async function runSeed({ students, institute }: { students: number; institute: string }): Promise<void> {
  await withContext(async ctx => {
    if (ctx.mode !== 'sandbox') throw new InputError('Only a sandbox is filled with made-up students.')
    const target = await getInstitute(ctx, institute)
    const progress = startProgress(`Students of ${institute}`, students, String)
    const seeded = await seedSchool(ctx, target, students, { onProgress: done => progress.tick(done) })
    progress.end()
    show(
      { institute, ...seeded },
      `Added ${seeded.students} students and ${seeded.payments} payments to ${institute}.`,
    )
  })
}

function readStudents(text: string): number {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= MOST_STUDENTS) return count
  throw new InputError(
    `"${text}" is not a number of students: write a whole number from 1 to ${MOST_STUDENTS}.`,
  )
}
