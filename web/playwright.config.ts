import { defineConfig } from '@playwright/test';

// The system's browser; nothing is downloaded.
export default defineConfig({
  testDir: 'test',
  testMatch: '*.spec.ts',
  timeout: 120_000,
  workers: 1,
  reporter: 'line',
  use: {
    baseURL: 'http://localhost:4173/',
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] },
  },
  webServer: { command: 'npx vite preview', url: 'http://localhost:4173/', reuseExistingServer: false },
});
