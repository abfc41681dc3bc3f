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

/** Night in the colour of the ink: text first, the paper at 7. */
const night: MantineColorsTuple = [
  '#e8ecf4',
  '#c9d0de',
  '#a7b1c4',
  '#8792a8',
  '#3a4763',
  '#2a3550',
  '#1a2438',
  '#131b2c',
  '#0f1625',
  '#0a101c',
]

export const theme = createTheme({
  primaryColor: 'bursar',
  primaryShade: 7,
  colors: { bursar: green, dark: night },
  black: '#14213d',
  fontFamily:
    '"Bursar scripts", Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Devanagari", sans-serif',
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.9375rem', lg: '1.125rem', xl: '1.25rem' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.75rem', lineHeight: '1.25' },
      h2: { fontSize: '1.5rem', lineHeight: '1.3' },
      h3: { fontSize: '1.125rem', lineHeight: '1.4' },
    },
  },
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
  dark: {
    '--mantine-color-dimmed': '#a7b1c4',
    '--mantine-color-placeholder': '#97a2b8',
    '--mantine-color-error': '#ff9b92',
    '--mantine-color-anchor': '#5fd3ab',
    '--mantine-color-bursar-light-color': '#7fe0bd',
    '--mantine-color-red-light-color': '#ffaea6',
    '--mantine-color-yellow-light-color': '#f7cf85',
    '--mantine-color-gray-light-color': '#c9d0de',
    '--mantine-color-green-light-color': '#7fe0bd',
  },
})
