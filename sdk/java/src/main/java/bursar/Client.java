package bursar;

import bursar.Errors.ApiError;
import bursar.Errors.BursarError;
import bursar.Errors.ConnectionError;
import bursar.Errors.FieldProblem;
import bursar.Errors.Refusal;
import bursar.Errors.TimeoutError;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/** One HTTP exchange with its retries; Bursar.java has a method for each operation. */
public class Client {
    private static final long FIRST_WAIT_MS = 500;
    private static final long LONGEST_WAIT_MS = 8_000;
    /** Who is asked to wait longer than this is told so instead. */
    private static final long LONGEST_RETRY_AFTER_S = 60;
    private static final Set<Integer> RETRIED = Set.of(429, 502, 503, 504);

    private final String baseUrl;
    private final String authorization;
    private final Duration timeout;
    private final int maxRetries;
    private final String idempotencyKey;
    private final HttpClient http;

    /** With 30 seconds for an attempt and four retries. */
    public Client(String baseUrl, String apiKey, String apiSecret) {
        this(baseUrl, apiKey, apiSecret, Duration.ofSeconds(30), 4);
    }

    /**
     * @param timeout of one attempt
     * @param maxRetries attempts after the first
     */
    public Client(String baseUrl, String apiKey, String apiSecret, Duration timeout, int maxRetries) {
        this.baseUrl = baseUrl.endsWith("/") ? baseUrl.substring(0, baseUrl.length() - 1) : baseUrl;
        byte[] credentials = (apiKey + ":" + apiSecret).getBytes(StandardCharsets.UTF_8);
        this.authorization = "Basic " + Base64.getEncoder().encodeToString(credentials);
        this.timeout = timeout;
        this.maxRetries = maxRetries;
        this.idempotencyKey = null;
        this.http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(timeout).build();
    }

    /** The same client with a key of its own for the next write. */
    protected Client(Client other, String idempotencyKey) {
        this.baseUrl = other.baseUrl;
        this.authorization = other.authorization;
        this.timeout = other.timeout;
        this.maxRetries = other.maxRetries;
        this.http = other.http;
        this.idempotencyKey = idempotencyKey;
    }

    /** Any request, such as an operation that this version does not know; gives the whole envelope. */
    @SuppressWarnings("unchecked")
    public Map<String, Object> request(String method, String path, Map<String, ?> query, Object body) {
        byte[] content = body == null ? null : Json.write(body).getBytes(StandardCharsets.UTF_8);
        return (Map<String, Object>) send(method, path, query, content, "application/json", false);
    }

    @SuppressWarnings("unchecked")
    protected <T> T one(
            String method, String path, Map<String, ?> query, Object body, Function<Map<String, Object>, T> read) {
        return read.apply((Map<String, Object>) request(method, path, query, body).get("data"));
    }

    @SuppressWarnings("unchecked")
    protected <T> List<T> all(
            String method, String path, Map<String, ?> query, Object body, Function<Map<String, Object>, T> read) {
        List<T> views = new ArrayList<>();
        for (Object item : (List<Object>) request(method, path, query, body).get("data"))
            views.add(read.apply((Map<String, Object>) item));
        return views;
    }

    protected byte[] file(String method, String path) {
        return (byte[]) send(method, path, Map.of(), null, "", true);
    }

    @SuppressWarnings("unchecked")
    protected <T> T upload(
            String path, Map<String, ?> query, byte[] file, String contentType, Function<Map<String, Object>, T> read) {
        Map<String, Object> answer = (Map<String, Object>) send("POST", path, query, file, contentType, false);
        return read.apply((Map<String, Object>) answer.get("data"));
    }

    protected <T> ItemList<T> list(String path, Map<String, ?> query, Function<Map<String, Object>, T> read) {
        return new ItemList<>(
                cursor -> {
                    Map<String, Object> asked = new LinkedHashMap<>(query);
                    if (cursor != null) asked.put("cursor", cursor);
                    return request("GET", path, asked, null);
                },
                read);
    }

    protected static String encode(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private Object send(
            String method, String path, Map<String, ?> query, byte[] content, String contentType, boolean isFile) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(baseUrl + path + queryOf(query)))
                .timeout(timeout)
                .header("Authorization", authorization)
                .header("Accept", isFile ? "*/*" : "application/json")
                .method(method, content == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(content));
        if (content != null) request.header("Content-Type", contentType);
        // Kept over all retries: nothing is done twice.
        if (!method.equals("GET"))
            request.header("Idempotency-Key", idempotencyKey == null ? UUID.randomUUID().toString() : idempotencyKey);
        for (int attempt = 0; ; attempt++) {
            Long retryAfter = null;
            BursarError error;
            try {
                HttpResponse<byte[]> response = http.send(request.build(), BodyHandlers.ofByteArray());
                retryAfter = retryAfterOf(response);
                return read(method + " " + path, response, isFile);
            } catch (HttpTimeoutException cause) {
                error = new TimeoutError(method + " " + path + ": no answer in time", cause);
            } catch (IOException cause) {
                error = new ConnectionError(method + " " + path + ": no answer (" + cause + ")", cause);
            } catch (InterruptedException cause) {
                Thread.currentThread().interrupt();
                throw new ConnectionError(method + " " + path + " was interrupted", cause);
            } catch (ApiError refusal) {
                error = refusal;
            }
            if (attempt >= maxRetries || !isRetried(error) || (retryAfter != null && retryAfter > LONGEST_RETRY_AFTER_S))
                throw error;
            pause(attempt, retryAfter);
        }
    }

    /** Never a refusal: that would be refused again. */
    private static boolean isRetried(BursarError error) {
        if (!(error instanceof ApiError)) return true;
        ApiError refusal = (ApiError) error;
        return RETRIED.contains(refusal.httpStatus) || refusal.code.equals("IDE00001");
    }

    /** The wait doubles, with jitter, so that many clients do not come back at once. */
    private static void pause(int attempt, Long retryAfter) {
        long longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS << Math.min(attempt, 10));
        long asked = retryAfter == null ? longest / 2 : retryAfter * 1_000;
        try {
            Thread.sleep(asked + ThreadLocalRandom.current().nextLong(longest / 2 + 1));
        } catch (InterruptedException cause) {
            Thread.currentThread().interrupt();
            throw new ConnectionError("interrupted while waiting", cause);
        }
    }

    private static Object read(String what, HttpResponse<byte[]> response, boolean isFile) {
        int status = response.statusCode();
        boolean isSuccess = status >= 200 && status < 300;
        if (isSuccess && isFile) return response.body();
        Map<String, Object> envelope = envelopeOf(response.body());
        if (isSuccess && "success".equals(envelope.get("status"))) return envelope;
        throw Errors.of(refusalOf(what, response, envelope));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> envelopeOf(byte[] body) {
        try {
            Object read = Json.parse(new String(body, StandardCharsets.UTF_8));
            return read instanceof Map ? (Map<String, Object>) read : Map.of();
        } catch (IllegalArgumentException notJson) {
            return Map.of();
        }
    }

    @SuppressWarnings("unchecked")
    private static Refusal refusalOf(String what, HttpResponse<byte[]> response, Map<String, Object> envelope) {
        Refusal refusal = new Refusal();
        refusal.httpStatus = response.statusCode();
        refusal.code = String.valueOf(envelope.getOrDefault("code", "UNKNOWN"));
        String otherwise = what + " was answered by " + refusal.httpStatus + ", not by Bursar";
        refusal.message = String.valueOf(envelope.getOrDefault("message", otherwise));
        Object requestId = envelope.get("request_id");
        refusal.requestId =
                requestId == null ? response.headers().firstValue("x-request-id").orElse(null) : requestId.toString();
        refusal.data = (Map<String, Object>) envelope.getOrDefault("data", Map.of());
        refusal.fields = new ArrayList<>();
        for (Object one : (List<Object>) envelope.getOrDefault("errors", List.of())) {
            Map<String, Object> problem = (Map<String, Object>) one;
            refusal.fields.add(new FieldProblem((String) problem.get("key"), (String) problem.get("message")));
        }
        return refusal;
    }

    private static Long retryAfterOf(HttpResponse<?> response) {
        return response.headers().firstValue("retry-after").filter(text -> text.matches("[0-9]{1,6}")).map(Long::valueOf).orElse(null);
    }

    private static String queryOf(Map<String, ?> query) {
        StringBuilder written = new StringBuilder();
        query.forEach((name, value) -> {
            if (value != null)
                written.append(written.length() == 0 ? '?' : '&').append(encode(name)).append('=').append(encode(value.toString()));
        });
        return written.toString();
    }
}
