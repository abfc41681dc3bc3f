import type { FastifyInstance } from 'fastify'
import type { FlexContext } from '../../flex/context.ts'
import {
  changeFlexSettings,
  getFlexSettings,
  type SettingsChange,
} from '../../flex/settings/settings.service.ts'
import { EVERYONE } from '../console.rules.ts'
import { addList } from '../lists/list.routes.ts'
import { erpOutput, settingsInput, settingsOutput } from './erp.schemas.ts'
import { readErpHealth } from './erp.service.ts'
import { fetchList } from './fetch.list.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { from, one } from '../../http/reply.ts'
import { FINANCE_ROLES } from '../students/students.rules.ts'

export function flexErpRoutes(app: FastifyInstance, flex: FlexContext): void {
  addSettings(app, flex)
  addConsoleRead(app, flex, {
    url: '/flex/erp',
    roles: EVERYONE,
    output: one(erpOutput),
    answer: async ({ institute }) => ({ branches: await readErpHealth(flex, institute) }),
  })
  addList(app, flex, { url: '/flex/erp/fetches', list: fetchList })
}

function addSettings(app: FastifyInstance, flex: FlexContext): void {
  addConsoleRead(app, flex, {
    url: '/flex/settings',
    roles: EVERYONE,
    output: one(settingsOutput),
    answer: ({ institute }) => getFlexSettings(flex, institute),
  })
  addConsoleWrite(app, flex, {
    method: 'PATCH',
    url: '/flex/settings',
    roles: FINANCE_ROLES,
    output: from(one(settingsOutput), ({ after }: SettingsChange) => after),
    body: settingsInput,
    perform: (command, { institute, body }) => changeFlexSettings(flex, command, institute, body),
    audit: ({ institute, body }, { before, after }) => ({
      what: 'flex.settings.changed',
      about: institute.code,
      why: body.reason,
      before: settingsOutput.toJson(before),
      after: settingsOutput.toJson(after),
    }),
  })
}
