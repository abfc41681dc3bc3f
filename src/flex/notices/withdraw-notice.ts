import type { StudentContext } from '../../students/student-contexts.service.ts'
import type { Desk } from '../plans/plan-changes.ts'
import { tellFamily } from './family.texts.ts'
import type { Instalment, LoadedPlan } from '../rules/plan.rules.ts'

export type PlanScene = { file: LoadedPlan; student: StudentContext }

/** What was announced will not be debited as announced: the family is told, and the instalment begins its way anew. */
export function withdrawNotice(
  desk: Desk,
  { file, student }: PlanScene,
  instalment: Instalment,
  { why, ...change }: { why: string } & Partial<Instalment>,
): void {
  desk.move(file, instalment, 'scheduled', `${why}, so the notice was withdrawn`, {
    notifiedAt: null,
    fetchTries: 0,
    nextStepAt: desk.now,
    ...change,
  })
  sayWithdrawn(desk, { file, student }, instalment, why)
}

export function sayWithdrawn(
  desk: Desk,
  { file, student }: PlanScene,
  instalment: Instalment,
  why: string,
): void {
  desk.send(tellFamily('withdrawn', file, { student, at: desk.now, day: instalment.presentOn, reason: why }))
}

export function withdrawNotices(desk: Desk, scene: PlanScene, why: string): void {
  for (const one of scene.file.instalments.filter(({ state }) => state === 'confirmed'))
    withdrawNotice(desk, scene, one, { why })
}
