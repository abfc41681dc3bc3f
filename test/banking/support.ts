import type { Answer, Json } from '../harness/client.ts'
import { uploadFile } from '../console/orders/support.ts'
import { SCHOOL, StudentDesk } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'

export const BANK = `${SCHOOL}/bank`
export const TITLES = 'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.,Closing Balance'

/** Demo School's office with bank accounts and their statements. */
export class BankDesk {
  readonly desk: StudentDesk
  readonly today: string
  #accounts = 0

  private constructor(desk: StudentDesk, today: string) {
    this.desk = desk
    this.today = today
  }

  static async open(after: Parameters<typeof StudentDesk.open>[0]): Promise<BankDesk> {
    const desk = await StudentDesk.open(after)
    return new BankDesk(desk, (await desk.viewer.get(`${SCHOOL}/counter/day`)).body.data.day)
  }

  async newAccount(): Promise<string> {
    const name = `Account ${++this.#accounts}`
    const answer = await this.desk.finance.post(`${SCHOOL}/bank-accounts`, { name })
    assertAnswer(answer, '201')
    return answer.body.data.id
  }

  upload(account: string, rows: readonly string[], query = '', to = 'bank/statements'): Promise<Answer> {
    const file = ['ACME BANK', TITLES, ...rows].join('\r\n')
    return uploadFile(this.desk.finance, file, { to, query: `account_id=${account}${query}` })
  }

  async add(account: string, rows: readonly string[]): Promise<Json> {
    const answer = await this.upload(account, rows)
    assertAnswer(answer, '201')
    return answer.body.data
  }

  async linesOf(account: string): Promise<Json[]> {
    return (await this.desk.viewer.get(`${BANK}/lines?account_id=${account}`)).body.data
  }

  async statusOf(account: string): Promise<Json> {
    const { body } = await this.desk.viewer.get(`${BANK}/status`)
    return body.data.find((one: Json) => one.id === account)
  }
}

export const credit = (day: string, text: string, reference: string, amount: number): string =>
  `${day},${text},${reference},,${amount.toFixed(2)},`
