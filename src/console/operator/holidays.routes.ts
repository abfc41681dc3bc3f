import type { FastifyInstance } from 'fastify'
import { addHoliday, listHolidays, removeHoliday, type Holiday } from '../../payments/holidays.service.ts'
import type { Context } from '../../platform/context.ts'
import { addOperatorRead, addOperatorWrite } from '../auth/access.routes.ts'
import { created, pageOf } from '../../http/reply.ts'
import {
  holidayOutput,
  holidayParams,
  listHolidaysQuery,
  newHolidayInput,
  reasonInput,
} from './operator.schemas.ts'

/** Bank holidays: no debit is presented and no settlement expected on them. */
export function operatorHolidayRoutes(app: FastifyInstance, ctx: Context): void {
  addOperatorRead(app, ctx, {
    url: '/holidays',
    query: listHolidaysQuery,
    output: pageOf(holidayOutput),
    answer: ({ query: { after, limit } }) => listHolidays(ctx, { after, limit }),
  })
  addOperatorWrite(app, ctx, {
    method: 'POST',
    url: '/holidays',
    body: newHolidayInput,
    output: created(holidayOutput),
    perform: (command, { body: { day, name } }) => addHoliday(ctx, command, { day, name }),
    audit: ({ body }, holiday: Holiday) => ({
      what: 'holiday.added',
      about: holiday.day,
      why: body.reason,
      after: holiday,
    }),
  })
  // Debits that were moved because of a holiday do not move back when it is deleted.
  addOperatorWrite(app, ctx, {
    method: 'DELETE',
    url: '/holidays/:day',
    params: holidayParams,
    body: reasonInput,
    perform: (command, { params }) => removeHoliday(ctx, command, params.day),
    audit: ({ body }, holiday: Holiday) => ({
      what: 'holiday.removed',
      about: holiday.day,
      why: body.reason,
      before: holiday,
    }),
  })
}
