import type { ImportKind } from '../imports.rules.ts'
import { feeImport, paymentImport, studentImport } from './erp/erp-rows.service.ts'
import type { ImportKindDefinition } from './kind.ts'
import { linkImport } from './links/links.service.ts'
import { rosterImport } from './roster/roster.service.ts'

/** Rows come back from the stage as JSON, so the engine does not know their types. */
export const importKinds: Readonly<Record<ImportKind, ImportKindDefinition<unknown>>> = {
  students: studentImport,
  fees: feeImport,
  payments: paymentImport,
  links: linkImport,
  roster: rosterImport,
}
