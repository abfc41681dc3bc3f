<?php

declare(strict_types=1);

namespace Bursar;

/** Webhooks: who sent a delivery, and what it says. */
final class Webhooks
{
    private const STANDARD_PREFIX = 'whsec_';

    /**
     * The event of a delivery, if it is genuine and at most five minutes old; throws SignatureError otherwise.
     *
     * $rawBody is the body as it came, byte for byte (`file_get_contents('php://input')`): one that was parsed and
     * written again has another signature. Several secrets may be given while one is replaced by another.
     *
     * @param array<string, string> $headers such as getallheaders() gives them
     * @param string|list<string> $secret
     * @return array<string, mixed>
     */
    public static function verify(
        string $rawBody,
        array $headers,
        string|array $secret,
        int $toleranceSeconds = 300,
        ?int $now = null,
    ): array {
        $given = array_change_key_case($headers);
        $id = $given['webhook-id'] ?? null;
        $timestamp = $given['webhook-timestamp'] ?? null;
        $signatures = $given['webhook-signature'] ?? null;
        if (!is_string($id) || !is_string($timestamp) || !is_string($signatures)) {
            throw new SignatureError('The headers webhook-id, webhook-timestamp and webhook-signature are needed.');
        }
        $distance = abs(($now ?? time()) - (int) $timestamp);
        if (preg_match('/^[0-9]{1,12}$/D', $timestamp) !== 1 || $distance > $toleranceSeconds) {
            throw new SignatureError('The delivery is too old, or the clock of this machine is wrong.');
        }
        foreach ((array) $secret as $one) {
            $expected = 'v1,' . self::sign($one, "$id.$timestamp.$rawBody");
            foreach (explode(' ', $signatures) as $sent) {
                if (hash_equals($expected, $sent)) {
                    return Json::parse($rawBody);
                }
            }
        }
        throw new SignatureError('The signature does not fit the body and the secret.');
    }

    private static function sign(string $secret, string $signed): string
    {
        $key = str_starts_with($secret, self::STANDARD_PREFIX)
            ? base64_decode(substr($secret, strlen(self::STANDARD_PREFIX)))
            : $secret;
        return base64_encode(hash_hmac('sha256', $signed, $key, true));
    }
}
