import { isDeepStrictEqual } from 'node:util'
import { readLateFeesAtRisk, readLapsedLateFees } from '../../dues/late-fees.service.ts'
import {
  payableOf,
  priceStudent,
  structureFor,
  type YearStructures,
} from '../../fees/structures/structure.rules.ts'
import { digestStructures, readStructures } from '../../fees/structures/structures.service.ts'
import { readUnsettled } from '../../flex/plans/plans.service.ts'
import { ROSTERS } from '../../imports/imports.rules.ts'
import { applyImport, listLowered, type Import } from '../../imports/imports.service.ts'
import { totalOf, type Institute } from '../../institutes/institutes.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { conflict } from '../../platform/errors.ts'
import { paiseOf, subtractPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import {
  startRollover,
  type Rollover,
  type WantedRollover,
} from '../../students/rollover/rollover.service.ts'
import { yearName } from '../../students/students.rules.ts'
import { listGrades } from '../students/rollover/rollover.service.ts'
import type { GuardedAct, ActTarget } from './guarded-act.ts'
import { changeProfile, type ChangedProfile } from '../../students/profile/profile.service.ts'
import type { SentProfile } from '../../students/profile/profile.rules.ts'

/**
 * A list of students that asks less of some than they have to pay now, as its check found. When its rows are applied they are
 * weighed again: none takes more off than the check said.
 */
export const rosterAct: GuardedAct<{ reason: string }, Import> = {
  perform: (ctx, command, { institute, about: id }) =>
    applyImport(ctx, command, { institute, id, family: ROSTERS }, 'good'),
  async weigh(tx, ctx, { institute, about, result: { fileName, structuresDigest } }) {
    if (structuresDigest !== (await digestStructures(tx, institute.id))) throw conflict(CHECKED_BEFORE)
    const lowered = (await listLowered(tx, { instituteId: institute.id, id: about })).map(row => ({
      about: row.studentId,
      amountPaise: row.loweredPaise,
    }))
    const of = { instituteId: institute.id, today: dayOf(ctx.clock.now()) }
    const gifts = [...lowered, ...(await readLateFeesAtRisk(tx, of, lowered))]
    return {
      title: `Lower fees by the list of students ${fileName ?? ''}`.trim(),
      subject: about,
      amountPaise: totalOf(gifts),
      gifts,
      effect: { students: lowered.length },
    }
  },
  note: (_target, { reason }, file) => ({
    what: 'students.file_started',
    about: file.id,
    ...(reason === '' ? {} : { why: reason }),
    before: { state: 'checked' },
    after: { state: file.state, file: file.fileName, rows: file.totalRows - file.badRows },
  }),
}

const CHECKED_BEFORE =
  'The fee structure has changed since this list was checked. Upload the list again, to see what it does now.'

const CHANGED_MEANWHILE = 'The fee structure was changed at this moment. Look at the preview again.'

/** `isWithoutStructure`: the new year lacks something, and whoever started it said so. */
type RolloverRequest = WantedRollover & { reason: string; isWithoutStructure: boolean }

/** A new year whose fees are below those of its structure, or below this year's of the same class. */
export const rolloverAct: GuardedAct<RolloverRequest, Rollover> = {
  perform: (ctx, command, { institute }, { reason: _reason, isWithoutStructure: _said, ...wanted }) =>
    startRollover(ctx, command, institute, { ...wanted, isPreview: false, readUnsettled }),
  async weigh(_tx, ctx, { institute, about, request, result }) {
    const { reason: _reason, isWithoutStructure: _said, ...wanted } = request
    const command = { instituteId: institute.id }
    const seen = await startRollover(ctx, command, institute, { ...wanted, isPreview: true, readUnsettled })
    if (!isDeepStrictEqual(seen.options, result.options)) throw conflict(CHANGED_MEANWHILE)
    const usual = await readUsualFees(ctx, institute, wanted)
    const classes = Map.groupBy(seen.grades, one => JSON.stringify([one.collectorCode, one.nextGrade]))
    const lowered = [...classes.values()].flatMap(some => {
      const students = some.reduce((sum, one) => sum + one.registered, 0)
      const afterPaise = sumPaise(some.map(one => one.feesPaise))
      const beforePaise = paiseOf(students * (some[0] === undefined ? ZERO : usual(some[0])))
      return beforePaise > afterPaise ? [{ students, beforePaise, afterPaise }] : []
    })
    const effect = {
      students: lowered.reduce((sum, one) => sum + one.students, 0),
      beforePaise: sumPaise(lowered.map(one => one.beforePaise)),
      afterPaise: sumPaise(lowered.map(one => one.afterPaise)),
    }
    const amountPaise = subtractPaise(effect.beforePaise, effect.afterPaise)
    const title = `Lower fees in the year ${yearName(wanted.toYearStart, wanted.toYearEnd)}`
    // The children of the new year are not registered yet: parts of its rollover add up.
    const gifts = [{ about: `rollover ${about}`, amountPaise }]
    return { title, subject: about, amountPaise, gifts, effect }
  },
  note: (_target, { reason, isWithoutStructure }, rollover) => ({
    what: 'rollover.started',
    about: rollover.id,
    why: reason,
    after: {
      to_academic_year_start: rollover.toYearStart,
      students: rollover.studentsTotal,
      ...(isWithoutStructure ? { without_structure: true } : {}),
    },
  }),
}

type ClassOf = { collectorCode: string; nextGrade: string | null }

/** What a student of a class has to pay without a concession: by the structure of the new year or, if that is more, this year. */
async function readUsualFees(
  ctx: Context,
  institute: Institute,
  { fromYearStart, fromYearEnd, toYearStart, toYearEnd }: WantedRollover,
): Promise<(of: ClassOf) => Paise> {
  const [thisYear, nextYear] = [
    { academicYearStart: fromYearStart, academicYearEnd: fromYearEnd },
    { academicYearStart: toYearStart, academicYearEnd: toYearEnd },
  ]
  const old = await readStructures(ctx.db, institute.id, thisYear)
  const next = await readStructures(ctx.db, institute.id, nextYear)
  const paidNow = (await listGrades(ctx, institute)).filter(
    one => one.academicYearStart === fromYearStart && one.academicYearEnd === fromYearEnd,
  )
  return ({ collectorCode, nextGrade }) => {
    const student = { grade: nextGrade ?? '', category: null, childNo: 1 }
    const priceBy = (structures: YearStructures): Paise => {
      const structure = structureFor(structures, collectorCode)
      return structure === null ? ZERO : payableOf(priceStudent(structure, student))
    }
    const fees = paidNow.find(one => one.grade === nextGrade)?.fees ?? []
    const now = priceBy(old) > 0 ? priceBy(old) : sumPaise(fees.map(fee => fee.feePaise))
    return paiseOf(Math.max(priceBy(next), now))
  }
}

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
