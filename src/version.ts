/** Version of Sluice, as in package.json (a test compares). */
export const VERSION = '0.4.0'
