import type { FastifyInstance } from 'fastify'
import type { FlexContext } from '../../../flex/context.ts'
import type { OptionalFee } from '../../../fees/optional/optional-fee.rules.ts'
import { all, created, done, from, one } from '../../../http/reply.ts'
import { field, input, optional } from '../../../http/wire/input.ts'
import { toRupees } from '../../../platform/money.ts'
import {
  carryOn,
  endEnrolments,
  enrol,
  listOfStudent,
  type Enrolling,
} from '../../../students/enrolments/enrol.service.ts'
import { enrolmentList } from '../../../students/enrolments/enrolment.list.ts'
import * as schemas from '../../../students/enrolments/optional-fee.schemas.ts'
import {
  addOptionalFee,
  changeOptionalFee,
  getOptionalFee,
  listOptionalFees,
  removeOptionalFee,
  type ChangedFee,
} from '../../../students/enrolments/optional-fees.service.ts'
import { badField } from '../../../platform/errors.ts'
import { studentParams } from '../../../students/student.input.ts'
import { requireStudent } from '../../../students/students.service.ts'
import { keptOr } from '../../approvals/approval.list.ts'
import { noteOf } from '../../approvals/approvals.routes.ts'
import { Kept, performOrKeep, type DecidedBy } from '../../approvals/approvals.service.ts'
import { optionalFeeAct, type OptionalFeeRequest } from '../../approvals/student-acts.ts'
import { recordAudit } from '../../audit/audit.service.ts'
import { addConsoleRead, addConsoleWrite } from '../../auth/access.routes.ts'
import { EVERYONE } from '../../console.rules.ts'
import { addConsoleFile } from '../../files.routes.ts'
import { addList } from '../../lists/list.routes.ts'
import { FINANCE_ROLES } from '../students.rules.ts'
import { makeRollSheets, ROLL_FORMATS } from './roll-sheets.service.ts'

const FEES = '/optional-fees'
const FEE = `${FEES}/:optional_fee_id`

/** Fees that a child pays because they were chosen: a bus, a hostel, meals, clubs, fines, deposits. */
export function optionalFeeRoutes(app: FastifyInstance, ctx: FlexContext): void {
  addList(app, ctx, { url: '/enrolments', list: enrolmentList, roles: EVERYONE })
  addReads(app, ctx)
  addRollSheets(app, ctx)
  addChanges(app, ctx)
  addChildren(app, ctx)
}

function addReads(app: FastifyInstance, ctx: FlexContext): void {
  addConsoleRead(app, ctx, {
    url: FEES,
    roles: EVERYONE,
    query: schemas.optionalFeesQuery,
    output: all(schemas.optionalFeeOutput),
    answer: ({ institute, query }) => listOptionalFees(ctx, institute, query.year),
  })
  addConsoleRead(app, ctx, {
    url: FEE,
    roles: EVERYONE,
    params: schemas.optionalFeeParams,
    output: one(schemas.optionalFeeOutput),
    answer: ({ institute, params }) => getOptionalFee(ctx, institute, params.feeId),
  })
  addConsoleRead(app, ctx, {
    url: '/students/:service_student_id/optional-fees',
    roles: EVERYONE,
    params: studentParams,
    output: all(schemas.ownEnrolmentOutput),
    async answer({ institute, params }) {
      await requireStudent(ctx, institute, params.studentId)
      return listOfStudent(ctx.db, institute.id, params.studentId)
    },
  })
}

const rollQuery = input({
  format: field.oneOf(
    ROLL_FORMATS,
    'A page for each route, room or club, or a spreadsheet with a sheet for each.',
  ),
  option: optional(field.text('Only of this route, room or club.', 'Route 4', 60)),
  on: optional(
    field.day(
      'Who has it on this day; today, or its first day if it is still to begin, if absent.',
      '2026-11-19',
    ),
  ),
})

/** What a driver or a warden carries: names and phones leave the console, so the log says who took them. */
function addRollSheets(app: FastifyInstance, ctx: FlexContext): void {
  addConsoleFile(app, ctx, {
    url: `${FEE}/roll-sheets`,
    roles: EVERYONE,
    params: schemas.optionalFeeParams,
    query: rollQuery,
    mediaType: 'application/pdf',
    async answer({ institute, who, origin, params: { feeId }, query: asked }) {
      const file = await makeRollSheets(ctx, institute, { feeId, ...asked })
      const { option, on, format } = asked
      const after = { format, ...(option === null ? {} : { option }), ...(on === null ? {} : { on }) }
      const by = { instituteId: institute.id, actor: { who, origin } }
      const note = { what: 'report.exported', about: feeId, after }
      await ctx.db.transaction(tx => recordAudit(tx, ctx, by, note))
      return file
    },
  })
}

function addChanges(app: FastifyInstance, ctx: FlexContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: FEES,
    roles: FINANCE_ROLES,
    body: schemas.optionalFeeInput,
    output: created(schemas.madeFeeOutput),
    perform: (command, { institute, body }) => addOptionalFee(ctx, command, institute, body),
    audit: (_call, fee: OptionalFee) => ({
      what: 'optional_fee.added',
      about: fee.id,
      after: summaryOf(fee),
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: FEE,
    roles: FINANCE_ROLES,
    params: schemas.optionalFeeParams,
    body: schemas.optionalFeeInput,
    output: from(one(schemas.madeFeeOutput), ({ after }: ChangedFee) => after),
    perform: (command, { institute, params: { feeId: id }, body }) =>
      changeOptionalFee(ctx, command, { institute, id }, body),
    audit: (_call, { before, after }) => ({
      what: 'optional_fee.changed',
      about: after.id,
      before: summaryOf(before),
      after: summaryOf(after),
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: FEE,
    roles: FINANCE_ROLES,
    params: schemas.optionalFeeParams,
    output: done,
    perform: (command, { institute, params: { feeId: id } }) =>
      removeOptionalFee(ctx, command, { institute, id }),
    audit: (_call, fee: OptionalFee) => ({
      what: 'optional_fee.removed',
      about: fee.id,
      before: summaryOf(fee),
    }),
  })
}

function summaryOf({ name, componentType, rhythm, prorating, options }: OptionalFee) {
  return {
    name,
    component_type: componentType,
    rhythm,
    prorating,
    options: options.map(option => ({
      name: option.name,
      ...(option.stop === null ? {} : { stop: option.stop }),
      amount: toRupees(option.amountPaise),
      ...(option.places === null ? {} : { places: option.places }),
    })),
  }
}

function noteOn(
  { institute, params }: DecidedBy & { params: { feeId: string } },
  result: Enrolling | Kept,
  request: OptionalFeeRequest,
) {
  if (result instanceof Kept) return noteOf(result.approval)
  const isNothing = result.isPreview || !result.students.some(each => each.outcome === 'changed')
  return isNothing ? null : optionalFeeAct.note({ institute, about: params.feeId }, request, result)
}

function addChildren(app: FastifyInstance, ctx: FlexContext): void {
  const output = keptOr(one(schemas.enrollingOutput))
  const keepOr = (
    command: Parameters<typeof performOrKeep<OptionalFeeRequest, Enrolling>>[1],
    by: DecidedBy,
    feeId: string,
    request: OptionalFeeRequest,
  ) =>
    performOrKeep<OptionalFeeRequest, Enrolling>(ctx, command, by, {
      name: 'optional_fee',
      about: feeId,
      request,
    })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${FEE}/children`,
    roles: FINANCE_ROLES,
    params: schemas.optionalFeeParams,
    body: schemas.enrolInput,
    output,
    perform(command, { params: { feeId }, body, ...by }) {
      const { isPreview, reason } = body
      const asked = { ...body, who: schemas.whoOf(body) }
      if (isPreview)
        return enrol(ctx, command, { institute: by.institute, feeId, isPreview, by: by.who.email }, asked)
      return keepOr(command, by, feeId, { kind: 'enrol', asked, reason: reason ?? '' })
    },
    audit: (call, result) =>
      noteOn(call, result, {
        kind: 'enrol',
        asked: { ...call.body, who: schemas.whoOf(call.body) },
        reason: call.body.reason ?? '',
      }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${FEE}/endings`,
    roles: FINANCE_ROLES,
    params: schemas.optionalFeeParams,
    body: schemas.endInput,
    output,
    perform(command, { params: { feeId }, body, ...by }) {
      const { isPreview, isTakenBack, lastDay, reason } = body
      if ((lastDay === null) !== isTakenBack)
        throw badField('last_day', 'or take_back is required, and only one of them')
      const asked = { ...body, who: schemas.whoOf(body) }
      if (isPreview) return endEnrolments(ctx, command, { institute: by.institute, feeId, isPreview }, asked)
      return keepOr(command, by, feeId, { kind: 'end', asked, reason: reason ?? '' })
    },
    audit: (call, result) =>
      noteOn(call, result, {
        kind: 'end',
        asked: { ...call.body, who: schemas.whoOf(call.body) },
        reason: call.body.reason ?? '',
      }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${FEE}/carry`,
    roles: FINANCE_ROLES,
    params: schemas.optionalFeeParams,
    body: schemas.carryInput,
    output,
    perform(command, { params: { feeId }, body: { isPreview, fromFeeId, reason }, ...by }) {
      const target = { institute: by.institute, feeId, isPreview, by: by.who.email }
      if (isPreview) return carryOn(ctx, command, target, fromFeeId)
      return keepOr(command, by, feeId, { kind: 'carry', fromFeeId, reason: reason ?? '' })
    },
    audit: (call, result) =>
      noteOn(call, result, { kind: 'carry', fromFeeId: call.body.fromFeeId, reason: call.body.reason ?? '' }),
  })
}
