import { Group } from '@mantine/core'
import { IconBrandWhatsapp, IconPhone } from '@tabler/icons-react'
import type { Student } from './use-student.ts'

/** What a phone dials. */
export function callAddress(phone: string): string {
  return `tel:${phone.replaceAll(/[^\d+]/g, '')}`
}

/** WhatsApp wants the country's number first and nothing but digits; ten digits alone are of India. */
export function chatAddress(phone: string, text?: string): string {
  const digits = phone.replaceAll(/\D/g, '').replace(/^0+/, '')
  const chat = `https://wa.me/${digits.length === 10 ? `91${digits}` : digits}`
  return text === undefined ? chat : `${chat}?text=${encodeURIComponent(text)}`
}

/** Whom to speak to, one press away. */
export function Contact({ student }: { student: Student }) {
  const { primary_contact_name: name, primary_contact_number: phone } = student
  return (
    <div className="contact">
      <div>{name}</div>
      <Group gap="md">
        <a href={callAddress(phone)} aria-label={`Call ${phone}`}>
          <IconPhone size={16} stroke={1.6} className="icon" aria-hidden /> {phone}
        </a>
        <a href={chatAddress(phone)} target="_blank" rel="noreferrer" aria-label={`WhatsApp ${phone}`}>
          <IconBrandWhatsapp size={16} stroke={1.6} className="icon" aria-hidden /> WhatsApp
        </a>
      </Group>
    </div>
  )
}
