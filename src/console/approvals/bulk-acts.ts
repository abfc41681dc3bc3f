import { payableOf, priceStudent } from '../../fees/structures/structure.rules.ts'
import { digestStructures, readStructures } from '../../fees/structures/structures.service.ts'
import { structureFor } from '../../fees/structures/year-structures.rules.ts'
import { readUnsettled } from '../../flex/plans/unsettled.service.ts'
import { ROSTERS } from '../../imports/imports.rules.ts'
import { applyImport, getImport, type Import } from '../../imports/imports.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
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
import type { GuardedAct } from './guarded-act.ts'

/** A list of students that asks less of some than they have to pay now; the check has added up how much. */
export const rosterAct: GuardedAct<{ reason: string }, Import> = {
  async weigh(ctx, { institute, about }) {
    const { fileName, loweredPaise, loweredRows, structuresDigest } = await getImport(
      ctx,
      institute,
      about,
      ROSTERS,
    )
    if (structuresDigest !== (await digestStructures(ctx.db, institute.id))) throw conflict(CHECKED_BEFORE)
    const title = `Lower fees by the list of students ${fileName ?? ''}`.trim()
    const effect = { students: loweredRows }
    return { title, subject: about, amountPaise: loweredPaise, countedPaise: loweredPaise, effect }
  },
  perform: (ctx, command, { institute, about: id }) =>
    applyImport(ctx, command, { institute, id, family: ROSTERS }, 'good'),
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

type RolloverRequest = WantedRollover & { reason: string }

/** A new year whose fees are below those of its structure, or, where there is none, below this year's of the same class. */
export const rolloverAct: GuardedAct<RolloverRequest, Rollover> = {
  async weigh(ctx, { institute, about }, { reason: _reason, ...wanted }) {
    const command = { instituteId: institute.id }
    const seen = await startRollover(ctx, command, institute, { ...wanted, isPreview: true, readUnsettled })
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
    return { title, subject: about, amountPaise, countedPaise: amountPaise, effect }
  },
  perform: (ctx, command, { institute }, { reason: _reason, ...wanted }) =>
    startRollover(ctx, command, institute, { ...wanted, isPreview: false, readUnsettled }),
  note: (_target, { reason }, rollover) => ({
    what: 'rollover.started',
    about: rollover.id,
    why: reason,
    after: { to_academic_year_start: rollover.toYearStart, students: rollover.studentsTotal },
  }),
}

type ClassOf = { collectorCode: string; nextGrade: string | null }

/** What a student of a class of the new year has to pay without a concession. */
async function readUsualFees(
  ctx: Context,
  institute: Institute,
  { fromYearStart, fromYearEnd, toYearStart, toYearEnd }: WantedRollover,
): Promise<(of: ClassOf) => Paise> {
  const year = { academicYearStart: toYearStart, academicYearEnd: toYearEnd }
  const structures = await readStructures(ctx.db, institute.id, year)
  const thisYear = (await listGrades(ctx, institute)).filter(
    one => one.academicYearStart === fromYearStart && one.academicYearEnd === fromYearEnd,
  )
  return ({ collectorCode, nextGrade }) => {
    const structure = structureFor(structures, collectorCode)
    const student = { grade: nextGrade ?? '', category: null, childNo: 1 }
    const planned = structure === null ? [] : priceStudent(structure, student)
    const now = thisYear.find(one => one.grade === nextGrade)?.fees ?? []
    return planned.length > 0 ? payableOf(planned) : sumPaise(now.map(fee => fee.feePaise))
  }
}
