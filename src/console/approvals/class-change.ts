import { readLapsedLateFees } from '../../dues/late-fees.service.ts'
import { changeProfile, type ChangedProfile } from '../../students/profile/profile.service.ts'
import type { SentProfile } from '../../students/profile/profile.rules.ts'
import type { ActTarget, GuardedAct } from './guarded-act.ts'

type ProfileRequest = SentProfile & { reason: string }

/** A profile that puts a child into another class or branch: what its family, with brothers and sisters, is let off by the fees there. */
export const classChangeAct: GuardedAct<ProfileRequest, ChangedProfile> = {
  async weigh(tx, ctx, { institute, about, result: { record, changes, effect } }) {
    const { fullname, grade } = record.student
    const before = changes.find(({ field }) => field === 'grade')?.before ?? grade
    const to = before === grade ? 'to another branch' : `from class ${String(before)} to ${grade}`
    const lowered = effect.gifts.map(gift => ({ instituteId: institute.id, studentId: gift.about }))
    return {
      title: `${fullname} moved ${to}, with lower fees`,
      subject: about,
      amountPaise: effect.givenPaise,
      gifts: [...effect.gifts, ...(await readLapsedLateFees(ctx, tx, lowered))],
      effect,
    }
  },
  perform: (ctx, command, target, { reason: _reason, ...sent }) =>
    changeProfile(ctx, command, studentOf(target), sent),
  note: ({ about }, { reason }, { changes }) => ({
    what: 'student.changed',
    about,
    why: reason,
    before: Object.fromEntries(changes.map(({ field, before }) => [field, before])),
    after: Object.fromEntries(changes.map(({ field, after }) => [field, after])),
  }),
}

function studentOf({ institute, about: id }: ActTarget) {
  return { institute, id, isByOffice: true }
}
