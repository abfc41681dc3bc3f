import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'

/** Deep green for actions; everything else is ink on white. */
const green: MantineColorsTuple = [
  '#e9f5f0',
  '#d2e8df',
  '#a5d1be',
  '#76b99c',
  '#4fa580',
  '#37986e',
  '#1f8a5f',
  '#0b6e4f',
  '#095a41',
  '#064532',
]

export const theme = createTheme({
  primaryColor: 'bursar',
  primaryShade: 7,
  colors: { bursar: green },
  black: '#14213d',
  fontFamily:
    '"Bursar scripts", system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Devanagari", sans-serif',
  headings: { fontWeight: '650' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
})

/** Mantine's own greys, reds and yellows are too light for small text on white and on their own tint. */
export const contrast: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#55607a',
    '--mantine-color-placeholder': '#66708a',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-red-light-color': '#a32018',
    '--mantine-color-yellow-light-color': '#6b4700',
  },
  dark: {},
})
