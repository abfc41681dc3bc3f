import type { FlexSettings } from '../../flex/rules/schedule.rules.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { BranchHealth } from './erp.service.ts'
import { FETCH_OUTCOMES, type FetchRow, type FetchSum } from './erp.store.ts'

const AT = '2026-11-15T04:00:00.000Z'

const settings = outputOf<FlexSettings>()
export const settingsOutput = settings.object({
  product_name: settings.text('What parents know it as.', 'Fee instalments'),
  instalments: settings.integer('How many, monthly.', 10),
  day_of_month: settings.integer('On which day they are due.', 5),
  downpayment_percent: settings.integer('What is paid at set-up; 0 for nothing.', 0),
  offered: settings.integers('Other numbers of instalments that parents may choose.', [3, 6]),
})

const problem = outputOf<FetchSum, unknown>()
const branch = outputOf<BranchHealth, unknown>()
const erp = outputOf<{ branches: readonly BranchHealth[] }>()
export const erpOutput = erp.object({
  branches: erp.list(
    'How the ERP of each branch answered in the last 24 hours.',
    branch.object({
      collector_code: branch.text('The branch.', 'MAIN'),
      name: branch.text('Its name.', 'Main'),
      host: branch.optional.text('Which ERP is asked; absent when none is.', 'erp.example.in'),
      found: branch.integer('Answers that named the student.', 120),
      refused: branch.integer('Answers that refused.', 2),
      unavailable: branch.integer('Calls without a usable answer.', 1),
      last_at: branch.optional.moment('When it was last asked, by the clock.', AT),
      problems: branch.list(
        'The most frequent first.',
        problem.object({
          outcome: problem.oneOf(FETCH_OUTCOMES, 'Refused, or not to be had.'),
          code: problem.optional.text("The ERP's code, or ours.", 'data_error'),
          message: problem.optional.text('What was said last.', 'The fee is being revised.'),
          count: problem.integer('How often.', 2),
          last_at: problem.moment('When last.', AT),
        }),
      ),
    }),
  ),
})

const fetch = outputOf<FetchRow>()
export const fetchOutput = fetch.object({
  id: fetch.text('Id of the call.', 'fetch_01k9zq4m0ve8sbn6yt2hw3c5da'),
  at: fetch.moment('When.', AT, one => one.fetchedAt),
  duration_ms: fetch.integer('How long it took.', 180),
  reason: fetch.text('What for.', 'presentation'),
  outcome: fetch.oneOf(FETCH_OUTCOMES, 'What came of it.'),
  http_status: fetch.optional.integer("The ERP's status, if it answered.", 200),
  code: fetch.optional.text("The ERP's code, or ours.", 'data_error'),
  message: fetch.optional.text('What was said.', 'The fee is being revised.'),
  identifier: fetch.text('Whom it was asked for.', 'ADM-2026-001'),
  student_id: fetch.optional.text('Id of the student.', 'student_01k9zq4m0ve8sbn6yt2hw3c5da'),
  fullname: fetch.optional.text('Name of the student.', 'Kabir Nair'),
  collector_code: fetch.optional.text('The branch.', 'MAIN'),
  problems: fetch.json('Fields of the answer that cannot be used.', []),
  changes: fetch.json('What the answer changed here.', []),
})

export type SettingsAnswer = Shown<typeof settingsOutput>
export type ErpAnswer = Shown<typeof erpOutput>
export type FetchAnswer = Shown<typeof fetchOutput>
