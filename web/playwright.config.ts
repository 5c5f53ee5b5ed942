import { defineConfig } from '@playwright/test';

// The system's browser; nothing is downloaded.
export default defineConfig({
  testDir: 'test',
  testMatch: '*.spec.ts',
  // Room for busy machines: no test measures time.
  timeout: 600_000,
  expect: { timeout: 60_000 },
  retries: 1,
  workers: 1,
  reporter: 'line',
  use: {
    baseURL: 'http://localhost:4173/',
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] },
  },
  webServer: {
    command: 'npx vite preview',
    url: 'http://localhost:4173/',
    reuseExistingServer: false,
    timeout: 180_000,
  },
});
