import type { FlexGround } from '../flex/flex-ground.ts'
import { applyMandateReport } from '../flex/mandates/mandates.service.ts'
import { downpaymentPurpose, instalmentPurpose } from '../flex/engine/results.service.ts'
import type { Till } from '../payments/context.ts'
import type { ErpGround } from '../erp/context.ts'

/** Lets Flex know of the money that is its own. */
export function openFlex(ground: Till & ErpGround): FlexGround {
  ground.purposes.set('instalment', instalmentPurpose(ground))
  ground.purposes.set('downpayment', downpaymentPurpose(ground))
  ground.onMandate = report => applyMandateReport(ground, report)
  return ground
}
