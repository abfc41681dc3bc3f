import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { created, ok, page } from '../../http/envelope.ts'
import { addHoliday, listHolidays, removeHoliday, type Holiday } from '../../payments/holidays.service.ts'
import type { Context } from '../../platform/context.ts'
import { addOperatorRead, addOperatorWrite } from '../auth/access.routes.ts'
import * as schemas from './operator.schemas.ts'

export function operatorHolidayRoutes(app: FastifyInstance, ctx: Context): void {
  addOperatorRead(app, ctx, {
    url: '/holidays',
    docs: {
      operationId: 'consoleListHolidays',
      summary: 'List bank holidays',
      description: 'Of the last year and all that are to come, the earliest first.',
      data: Type.Array(schemas.HolidayView),
      isList: true,
    },
    query: schemas.HolidaysQuery,
    async answer({ query }) {
      const { rows, nextCursor } = await listHolidays(ctx, {
        after: query.cursor,
        limit: query.limit ?? 50,
      })
      return page(rows, nextCursor)
    },
  })
  addOperatorWrite(app, ctx, {
    method: 'POST',
    url: '/holidays',
    docs: {
      operationId: 'consoleAddHoliday',
      summary: 'Add a bank holiday',
      description:
        'No debit is presented and no settlement expected on it; what was planned for it moves on.',
      data: schemas.HolidayView,
      creates: true,
    },
    body: schemas.NewHolidayBody,
    perform: (act, { body: { day, name } }) => addHoliday(ctx, act, { day, name }),
    audit: ({ body }, holiday: Holiday) => ({
      what: 'holiday.added',
      about: holiday.day,
      why: body.reason,
      after: holiday,
    }),
    toResponse: (holiday: Holiday) => created(holiday),
  })
  addOperatorWrite(app, ctx, {
    method: 'DELETE',
    url: '/holidays/:day',
    docs: {
      operationId: 'consoleRemoveHoliday',
      summary: 'Remove a bank holiday',
      description: 'One that is still to come. What has moved because of it does not move back.',
    },
    params: schemas.HolidayParams,
    body: schemas.RemoveHolidayBody,
    perform: (act, { params }) => removeHoliday(ctx, act, params.day),
    audit: ({ body }, holiday: Holiday) => ({
      what: 'holiday.removed',
      about: holiday.day,
      why: body.reason,
      before: holiday,
    }),
    toResponse: () => ok(),
  })
}
