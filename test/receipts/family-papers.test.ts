import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SCHOOL, StudentDesk, STUDENTS } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'
import { readPdf } from './read-pdf.ts'

const desk = await StudentDesk.open(after)
const { bursar, finance } = desk

async function textOf(path: string): Promise<string> {
  const response = await fetch(bursar.url + path, { headers: { cookie: finance.cookie ?? '' } })
  assert.equal(response.status, 200)
  return readPdf(Buffer.from(await response.arrayBuffer())).text
}

const PAPERS = {
  hi: {
    certificate: [
      /फ़ीस प्रमाणपत्र \/ Fee certificate 2026-27/,
      /ट्यूशन फ़ीस \/ Tuition fee/,
      /वित्तीय वर्ष \/ Financial year/,
    ],
    noDues: [/बक़ाया न होने का प्रमाणपत्र \/ Certificate of no dues/],
    voucher: [/वापसी की पर्ची \/ Refund voucher \S+\d/, /नकद \/ Cash/, /ट्यूशन फ़ीस \/ Tuition fee/],
  },
  kn: {
    certificate: [/ಶುಲ್ಕ ಪ್ರಮಾಣಪತ್ರ \/ Fee certificate 2026-27/, /ಬೋಧನಾ ಶುಲ್ಕ \/ Tuition fee/],
    noDues: [/ಬಾಕಿ ಇಲ್ಲವೆಂಬ ಪ್ರಮಾಣಪತ್ರ \/ Certificate of no dues/],
    voucher: [/ಮರುಪಾವತಿ ಚೀಟಿ \/ Refund voucher \S+\d/, /ನಗದು \/ Cash/],
  },
  ta: {
    certificate: [/கட்டணச் சான்றிதழ் \/ Fee certificate 2026-27/, /கல்விக் கட்டணம் \/ Tuition fee/],
    noDues: [/நிலுவை இல்லை என்னும் சான்றிதழ் \/ Certificate of no dues/],
    voucher: [/திருப்பி அளித்ததற்கான சீட்டு \/ Refund voucher \S+\d/, /ரொக்கம் \/ Cash/],
  },
  en: {
    certificate: [/^Fee certificate 2026-27$/m, /^Tuition fee$/m],
    noDues: [/^Certificate of no dues$/m],
    voucher: [/^Refund voucher \S+\d$/m, /^Cash$/m],
  },
} as const

for (const [language, papers] of Object.entries(PAPERS))
  test(`certificates and vouchers are in the family's language with English beside it: ${language}`, async () => {
    const place = Object.keys(PAPERS).indexOf(language)
    const id = await desk.register(
      { primary_contact_number: `987654320${place}` },
      { fees: [{ component_type: 'TUITION_FEE', fee_amount: 1_000 }] },
    )
    const at = `${STUDENTS}/${id}`
    assertAnswer(await finance.send('PUT', `${at}/family-language`, { language }), '200')
    const paid = await finance.post(`${at}/payments`, {
      amount: 1_000,
      paid_at: '2026-11-01',
      mode: 'cash',
      fee_components: [{ component_type: 'TUITION_FEE', amount: 1_000 }],
      issue_receipt: true,
    })
    assertAnswer(paid, '201')
    const certificate = await textOf(`${at}/fee-certificate?financial_year=2026-27`)
    for (const part of papers.certificate) assert.match(certificate, part)
    const noDues = await textOf(`${at}/no-dues-certificate`)
    for (const part of papers.noDues) assert.match(noDues, part)
    assert.match(noDues, /no fees or other dues of Kabir Rao are outstanding at Demo School\./)
    const back = await finance.post(`${at}/payments/${paid.body.data.transaction_id}/refunds`, {
      amount: 100,
      way: 'cash',
      reason: 'Paid too much',
    })
    assertAnswer(back, '201')
    const voucher = await textOf(`${SCHOOL}/counter/refunds/${back.body.data.id}/pdf`)
    for (const part of papers.voucher) assert.match(voucher, part)
  })
