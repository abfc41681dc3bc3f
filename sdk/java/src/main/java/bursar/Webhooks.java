package bursar;

import bursar.Errors.SignatureError;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Webhooks: who sent a delivery, and what it says. */
public final class Webhooks {
    private static final String STANDARD_PREFIX = "whsec_";
    private static final long TOLERANCE_SECONDS = 300;

    private Webhooks() {}

    /** The same, by one secret and the clock of this machine. */
    public static Types.WebhookEvent verify(byte[] rawBody, Map<String, String> headers, String secret) {
        return verify(rawBody, headers, List.of(secret), System.currentTimeMillis() / 1000);
    }

    /**
     * The event of a delivery, if it is genuine and at most five minutes old; throws SignatureError otherwise.
     *
     * @param rawBody the body as it came, byte for byte: one that was parsed and written again has another signature
     * @param secrets several while one is replaced by another
     * @param now Unix seconds
     */
    @SuppressWarnings("unchecked")
    public static Types.WebhookEvent verify(
            byte[] rawBody, Map<String, String> headers, List<String> secrets, long now) {
        Map<String, String> given = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        given.putAll(headers);
        String id = given.get("webhook-id");
        String timestamp = given.get("webhook-timestamp");
        String signatures = given.get("webhook-signature");
        if (id == null || timestamp == null || signatures == null)
            throw new SignatureError("The headers webhook-id, webhook-timestamp and webhook-signature are needed.");
        if (!timestamp.matches("[0-9]{1,12}") || Math.abs(now - Long.parseLong(timestamp)) > TOLERANCE_SECONDS)
            throw new SignatureError("The delivery is too old, or the clock of this machine is wrong.");
        for (String secret : secrets) {
            byte[] expected = sign(secret, (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8), rawBody);
            for (String sent : signatures.split(" "))
                if (MessageDigest.isEqual(expected, sent.getBytes(StandardCharsets.UTF_8)))
                    return new Types.WebhookEvent(
                            (Map<String, Object>) Json.parse(new String(rawBody, StandardCharsets.UTF_8)));
        }
        throw new SignatureError("The signature does not fit the body and the secret.");
    }

    private static byte[] sign(String secret, byte[] before, byte[] body) {
        byte[] key = secret.startsWith(STANDARD_PREFIX)
                ? Base64.getDecoder().decode(secret.substring(STANDARD_PREFIX.length()))
                : secret.getBytes(StandardCharsets.UTF_8);
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            mac.update(before);
            return ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error);
        }
    }
}
