import { pullStudents, type Pulled, type PullReason } from '../students/pull.service.ts'
import { readStudentContexts } from '../students/student-contexts.service.ts'
import { adoptSchedule } from './adopt.ts'
import { Desk } from './desk.ts'
import type { FlexGround } from './flex-ground.ts'
import { lockPlans, readFiles, type PlanKey } from './flex.store.ts'
import { refit } from './refit.ts'
import { readAlmanac } from './steps.ts'
import type { PlanScene } from './withdraw.ts'

/** A plan after its ERP was asked. */
export type Refreshed = PlanScene & { word: Pulled }

/** Asks the ERPs about the students of these plans and fits the plans to what they say; in the order asked for. */
export async function refreshPlans(
  flex: FlexGround,
  asked: readonly (PlanKey & { studentId: string })[],
  reason: PullReason,
): Promise<(Refreshed | undefined)[]> {
  const words = await pullStudents(
    flex,
    asked.map(({ instituteId, studentId }) => ({ instituteId, studentId, reason })),
  )
  return flex.db.transaction(async tx => {
    await lockPlans(tx, asked)
    const files = await readFiles(tx, asked)
    const students = await readStudentContexts(tx, asked)
    const almanac = await readAlmanac(flex, tx)
    const desk = new Desk(almanac.now)
    const refreshed = asked.map(({ planId, studentId }, index): Refreshed | undefined => {
      const file = files.get(planId)
      const student = students.get(studentId)
      const word = words[index]
      if (file === undefined || student === undefined || word === undefined) return undefined
      if (word.kind === 'found' && word.isCustomSchedule && word.paymentSchedule !== null)
        adoptSchedule(desk, file, student, { rows: word.paymentSchedule, almanac })
      if (word.kind === 'found' || word.kind === 'not_configured') refit(desk, file, student)
      return { file, student, word }
    })
    await desk.write(tx)
    return refreshed
  })
}
