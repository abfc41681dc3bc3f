import assert from 'node:assert/strict'
import type { Answer } from '../harness/client.ts'
import { assertNoStall } from '../harness/processes/stalls.ts'
import type { WorstFile } from '../harness/worst-files.ts'
import { uploadFile } from '../console/orders/support.ts'
import type { BankDesk } from './support.ts'

/** A file without a line that can be read is refused as a whole. */
const NO_LINES = /has no lines of a bank statement/

/** Sends statements for one account. */
export class Statements {
  readonly #bank: BankDesk
  readonly #account: string

  constructor(bank: BankDesk, account: string) {
    this.#bank = bank
    this.#account = account
  }

  send(file: Uint8Array<ArrayBuffer>, to: string, query = ''): Promise<Answer> {
    return uploadFile(this.#bank.desk.finance, file, { to, query: `account_id=${this.#account}${query}` })
  }

  /** It is looked at or refused in words, and requests go on meanwhile. */
  async assertHarmless({ bytes, refusal }: WorstFile): Promise<void> {
    const file = bytes()
    await assertNoStall(async () => {
      const { status, text, body } = await this.send(file, 'bank/statement-previews')
      if (refusal === null || status === 200) assert.equal(status, 200, text)
      else assert.match(body.message, status === 400 && NO_LINES.test(body.message) ? NO_LINES : refusal)
      assert.ok(refusal === null || status >= 400 || body.data.line_count === 0, text)
    })
  }
}
