import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { testOutput } from '../../erp/pull/pull.schemas.ts'
import { settingsOutput } from '../../erp/settings/settings.schemas.ts'
import type { ErpSettings } from '../../erp/settings/settings.rules.ts'
import type { Branch } from '../../institutes/institutes.rules.ts'
import { branchOutput } from '../../students/student.output.ts'

const out = outputOf<{ branches: readonly Branch[]; settings: readonly ErpSettings[] }>()
export const erpOutput = out.object({
  branches: out.list('Of the institute.', branchOutput),
  settings: out.list("The institute's own, then those of branches.", settingsOutput),
})

export type ErpSettingsAnswer = Shown<typeof erpOutput>
export type TestErpAnswer = Shown<typeof testOutput>
